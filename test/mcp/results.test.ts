import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject, Locale } from '../../machines/vocabulary/json.ts';
import { execute, listed, text, toolsOf } from './support.ts';

/** What the model gets when a server answers with this. */
async function shown(answer: JsonObject, locale: Locale = 'en'): Promise<unknown> {
  const { tools } = await toolsOf({ call: () => answer });
  return execute(tools[0], {}, { locale });
}

interface ResultRow {
  readonly id: string;
  /** As a published server answered. */
  readonly result: JsonObject;
  readonly shown: string;
}

const rows: readonly ResultRow[] = JSON.parse(
  readFileSync(new URL('../cases/mcp-results.json', import.meta.url), 'utf8'),
);

const content = (...blocks: Json[]) => ({ content: blocks });
const base64 = Buffer.from('0123456789').toString('base64');

describe('a result', () => {
  it('is its texts, one after the other, as they are', async () => {
    const blocks = content({ type: 'text', text: 'one\u001b[0m' }, { type: 'text', text: '二' });
    expect(await shown(blocks)).toBe('one\u001b[0m\n二');
  });

  it.each<[string, Json, string, string]>([
    [
      'a picture',
      { type: 'image', mimeType: 'image/png', data: base64 },
      '[an image, not given as text · image/png · 10 bytes]',
      '[图片，不作为文字给出 · image/png · 10 字节]',
    ],
    [
      'sound',
      { type: 'audio', mimeType: 'audio/wav\u001b[2J', data: base64 },
      '[audio, not given as text · audio/wav\\u{1b}[2J · 10 bytes]',
      '[声音，不作为文字给出 · audio/wav\\u{1b}[2J · 10 字节]',
    ],
    [
      'a resource with text, which is given',
      {
        type: 'resource',
        resource: { uri: 'file:///a.txt', mimeType: 'text/plain', text: 'inside' },
      },
      '[a resource · file:///a.txt · text/plain]\ninside',
      '[资源 · file:///a.txt · text/plain]\ninside',
    ],
    [
      'a resource with bytes',
      { type: 'resource', resource: { uri: 'file:///a.bin', blob: base64 } },
      '[a resource · file:///a.bin · 10 bytes]',
      '[资源 · file:///a.bin · 10 字节]',
    ],
    [
      'a link',
      { type: 'resource_link', uri: 'file:///a.txt', name: 'a', description: 'the\nfirst' },
      '[a link to a resource · file:///a.txt · a · the first]',
      '[资源链接 · file:///a.txt · a · the first]',
    ],
    [
      'what nobody knows',
      { type: 'hologram' },
      '[content of an unknown kind · hologram]',
      '[不认识的内容 · hologram]',
    ],
    ['what is no block', null, '[content of an unknown kind]', '[不认识的内容]'],
  ])('says %s in words', async (_, block, en, zh) => {
    expect(await shown(content(block))).toBe(en);
    expect(await shown(content(block), 'zh')).toBe(zh);
  });

  it('has its structured part once: as JSON, or as the text that says the same', async () => {
    const structuredContent = { a: 1, b: [2] };
    expect(await shown({ ...content(), structuredContent })).toBe('{"a":1,"b":[2]}');
    expect(await shown({ structuredContent })).toBe('{"a":1,"b":[2]}');
    expect(await shown({ ...text('{ "b": [2], "a": 1 }'), structuredContent })).toBe(
      '{ "b": [2], "a": 1 }',
    );
    expect(await shown({ ...text('a is 1'), structuredContent })).toBe('a is 1\n{"a":1,"b":[2]}');
  });

  it.each(rows)('of a published server is given once: $id', async ({ result, shown: expected }) => {
    expect(await shown(result)).toBe(expected);
  });

  it.each<[string, JsonObject, JsonObject, string]>([
    ['a member that is the text', text('5'), { result: 5 }, '5'],
    [
      'a member that is the list of the texts',
      content({ type: 'text', text: 'a' }, { type: 'text', text: '{"n":1}' }),
      { result: ['a', { n: 1 }] },
      'a\n{"n":1}',
    ],
    [
      'a member that is the blocks',
      content({ type: 'text', text: 'a' }),
      { blocks: [{ type: 'text', text: 'a' }] },
      'a',
    ],
    [
      'texts that are one member together',
      content(...['a', 'b'].map((one) => ({ type: 'text', text: one }))),
      { all: 'a\nb' },
      'a\nb',
    ],
    [
      'what a member says beside the text is kept',
      text('2 found'),
      { summary: '2 found', rows: [1, 2] },
      '2 found\n{"rows":[1,2]}',
    ],
    ['a text that says nothing of it', text('done'), { success: true }, 'done\n{"success":true}'],
    ['a list', text('[1, 2]'), [1, 2] as never, '[1, 2]'],
  ])('has what its text says once: %s', async (_, blocks, structuredContent, expected) => {
    expect(await shown({ ...blocks, structuredContent })).toBe(expected);
  });

  it('never holds bytes, wherever they stand', async () => {
    const bytes = randomBytes(600).toString('base64');
    const structuredContent = {
      image: { type: 'image', data: base64, mimeType: 'image/png' },
      files: [
        { uri: 'a:b', blob: base64 },
        { mimeType: 'audio/wav', data: base64 },
      ],
      page: `data:image/webp;base64,${base64}`,
      raw: bytes,
      digest: 'ab12'.repeat(32),
      line: 'x'.repeat(2_000),
    };
    const described = {
      image: {
        type: 'image',
        data: '[binary data, not given as text · image/png · 10 bytes]',
        mimeType: 'image/png',
      },
      files: [
        { uri: 'a:b', blob: '[binary data, not given as text · 10 bytes]' },
        { mimeType: 'audio/wav', data: '[binary data, not given as text · audio/wav · 10 bytes]' },
      ],
      page: '[binary data, not given as text · image/webp · 10 bytes]',
      raw: '[binary data, not given as text · 600 bytes]',
      digest: structuredContent.digest,
      line: structuredContent.line,
    };
    expect(JSON.parse(String(await shown({ structuredContent })))).toEqual(described);
    const asText = text(JSON.stringify(structuredContent));
    expect(JSON.parse(String(await shown({ ...asText, structuredContent })))).toEqual(described);
    expect(await shown({ structuredContent: { data: base64, mimeType: 'image/png' } }, 'zh')).toBe(
      '{"data":"[二进制数据，不作为文字给出 · image/png · 10 字节]","mimeType":"image/png"}',
    );
  });

  it('is kept when it is not what its output schema says: the call has taken effect', async () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const tools = [listed('read', { outputSchema })];
    const served = await toolsOf({ tools, call: () => text('paid') });
    expect(await execute(served.tools[0])).toBe('paid');
  });

  it('may be empty', async () => {
    expect(await shown(content())).toBe('(Done; nothing was returned.)');
    expect(await shown({}, 'zh')).toBe('（完成，没有返回内容）');
  });

  it('that is an error fails the call with the text of the server', async () => {
    await expect(shown({ ...text('no such file'), isError: true })).rejects.toMatchObject({
      code: 'mcp_tool_error',
      message: 'no such file',
    });
    await expect(shown({ ...content(), isError: true })).rejects.toMatchObject({
      message: 'The server gave no reason.',
    });
  });

  it('that has not the form of one fails the call', async () => {
    await expect(shown({ content: 'text' })).rejects.toMatchObject({
      code: 'mcp_call_failed',
      message:
        "What files answered has not the form of a tool's result; the call may have taken effect.",
    });
  });
});

describe('a call', () => {
  it('gives the server the input as it was decided on, under its own name', async () => {
    const { tools, called } = await toolsOf({ tools: [listed('a.b')] });
    await execute(tools[0], { x: null, nested: { y: [1] } });
    expect(called).toEqual([{ name: 'a.b', input: { x: null, nested: { y: [1] } } }]);
  });

  it('that the server refuses fails with its code and its words, on one line', async () => {
    const { tools } = await toolsOf({
      call: () => Promise.reject(new McpError(-32602, 'no\u001b[2J\nway')),
    });
    await expect(execute(tools[0])).rejects.toMatchObject({
      code: 'mcp_call_failed',
      message: 'files gave no result: MCP error -32602: MCP error -32602: no\\u{1b}[2J way',
    });
  });

  it('that ends early is cancelled at the server, and no other one is', async () => {
    let reached = (): void => {};
    const started = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const { tools, cancellation, client } = await toolsOf({
      call: () => {
        reached();
        return new Promise(() => {});
      },
    });
    const stop = new AbortController();
    const ended = execute(tools[0], {}, { signal: stop.signal });
    ended.catch(() => {});
    await started;
    stop.abort(new Error('the run was cancelled'));
    expect(await cancellation).toBe('Error: the run was cancelled');
    await expect(ended).rejects.toMatchObject({ code: 'mcp_call_failed' });
    expect(client.transport).toBeDefined();
  });

  it('that is over is not cancelled when its signal aborts later', async () => {
    const { tools, server, client } = await toolsOf({});
    const stop = new AbortController();
    await execute(tools[0], {}, { signal: stop.signal });
    const heard: string[] = [];
    server.fallbackNotificationHandler = async ({ method }) => void heard.push(method);
    server.removeNotificationHandler('notifications/cancelled');
    stop.abort();
    await client.ping();
    expect(heard).toEqual([]);
  });

  it('on a connection that has gone sends nothing, and says so', async () => {
    const { tools, client, called } = await toolsOf({});
    await client.close();
    await expect(execute(tools[0])).rejects.toMatchObject({
      code: 'mcp_disconnected',
      message: 'There is no connection to files any more; nothing was sent.',
    });
    expect(called).toEqual([]);
  });

  it('during which the connection goes may have taken effect', async () => {
    const served = await toolsOf({
      call: () => {
        void served.server.close();
        return new Promise(() => {});
      },
    });
    await expect(execute(served.tools[0], {}, { locale: 'zh' })).rejects.toMatchObject({
      code: 'mcp_disconnected',
      message: '调用时和 files 的连接断开了；调用可能已经生效。',
    });
  });

  it('is not disturbed by progress that nobody asked for, or by what the server asks of us', async () => {
    const served = await toolsOf({
      call: async () => {
        await served.server.notification({
          method: 'notifications/progress',
          params: { progressToken: 1, progress: 1 },
        });
        const refused = await served.server
          .createMessage({ messages: [], maxTokens: 1 })
          .catch(({ message }: Error) => message);
        return text(String(refused));
      },
    });
    expect(await execute(served.tools[0])).toContain('Method not found');
  });
});
