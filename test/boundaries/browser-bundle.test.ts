import { createContext, Script } from 'node:vm';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

/** A conversation with a tool and a refused one, on the pure parts alone. */
const CONVERSATION = `
import { createActor, fromPromise } from 'xstate';
import { agentMachine, DEFAULT_LIMITS, reportUsage } from '../../machines/index.ts';
import { DEFAULT_POLICIES } from '../../machines/permission/index.ts';
import { nativeCalls, reactText } from '../../src/protocol/index.ts';

const tools = ['knowledge_search', 'echo'].map((name) => ({
  name, description: name, inputSchema: { type: 'object' }, textField: 'text', oncePerReply: false,
}));

export function converse(protocolName, replies) {
  const protocol = protocolName === 'react-text' ? reactText : nativeCalls;
  const requests = [];
  const facts = (toolName) => ({ toolName, touchesPrivate: false, outsideAllowedArea: false,
    serviceAllowed: true, outputExists: false, identity: null });
  const machine = agentMachine.provide({ actors: {
    callModel: fromPromise(async ({ input }) => {
      requests.push(protocol.toRequest({ instructions: '', tools, messages: input.messages, locale: 'en' }));
      const { text = '', calls = [] } = replies.shift();
      return { at: 1, reply: { text, calls, finishReason: 'stop', model: 'scripted', requests: [
        { messages: 1, characters: 1, usage: { inputTokens: 3, outputTokens: 2 }, error: null, ms: 1 } ] } };
    }),
    parseReply: fromPromise(async ({ input }) => {
      const step = protocol.parseReply(input.reply, tools, input.locale);
      if (step.kind !== 'calls') return step;
      return { ...step, calls: step.calls.map((call) => ({
        tool: call.tool, providerId: call.providerId, input: call.arguments.value, problem: null })) };
    }),
    inspectFacts: fromPromise(async ({ input }) => ({ at: 2, facts: Object.fromEntries(
      input.calls.map(({ id, tool }) => [id, { ok: true, facts: facts(tool) }])) })),
    tool: fromPromise(async ({ input }) => ({ outcome: 'ok', content: 'found', ms: 1, at: 3 })),
  } });
  return new Promise((resolve, reject) => {
    const actor = createActor(machine, { input: { runId: 'r', startedAt: 0, locale: 'en', prompt: 'hello',
      history: [], hooks: [], policies: DEFAULT_POLICIES, limits: DEFAULT_LIMITS } });
    actor.subscribe({ error: reject, complete: () => {
      const { status, answer, messages, usage } = actor.getSnapshot().output;
      resolve(JSON.stringify({ status, answer, outcomes: messages.filter(({ role }) => role === 'observation')
        .map(({ tool, outcome }) => [tool, outcome]), usage: reportUsage(usage), requests: requests.length }));
    } });
    actor.start();
  });
}
`;

/** Bundles for a browser. A Node built-in anywhere in it would fail the build. */
async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: CONVERSATION, resolveDir: import.meta.dirname, loader: 'js' },
    bundle: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'agenthub',
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

/** An empty context has the language and nothing else; xstate needs the web's AbortController. */
async function converse(protocol: string, replies: unknown): Promise<unknown> {
  const context = createContext({ AbortController });
  new Script(await bundle()).runInContext(context);
  const script = `agenthub.converse(${JSON.stringify(protocol)}, ${JSON.stringify(replies)})`;
  return JSON.parse((await new Script(script).runInContext(context)) as string);
}

const ENDED = {
  status: 'done',
  answer: 'seven days',
  outcomes: [
    ['knowledge_search', 'ok'],
    ['echo', 'denied'],
  ],
  requests: 3,
  usage: {
    requests: 3,
    inputTokens: 9,
    outputTokens: 6,
    reported: { inputTokens: 9, outputTokens: 6 },
    messages: 3,
    characters: 3,
  },
};

describe('machine, protocols and permission in a browser bundle', () => {
  it('hold a conversation in native calls, in a context with nothing of Node', async () => {
    const call = (name: string) => ({
      calls: [{ id: 'a', name, arguments: '{"text":"returns"}' }],
    });
    const replies = [call('knowledge_search'), call('echo'), { text: 'seven days' }];
    expect(await converse('native-calls', replies)).toEqual(ENDED);
  });

  it('hold the same conversation in ReAct text', async () => {
    const replies = [
      { text: 'Thought: look\nAction: knowledge_search\nAction Input: returns' },
      { text: 'Action: echo\nAction Input: returns' },
      { text: 'Thought: done\nFinal Answer: seven days' },
    ];
    expect(await converse('react-text', replies)).toEqual(ENDED);
  });

  it('are small: under 40 kB gzip with xstate', async () => {
    const { gzipSync } = await import('node:zlib');
    const { outputFiles } = await build({
      entryPoints: ['machines/index.ts'],
      bundle: true,
      minify: true,
      platform: 'browser',
      format: 'esm',
      write: false,
    });
    expect(gzipSync(outputFiles[0]?.contents ?? '').length).toBeLessThan(40_000);
  });
});
