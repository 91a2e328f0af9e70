import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHINESE, MODEL_CHINESE, sayError } from '../../src/cli/error-texts.ts';

/** Codes that no person at the command line sees as an error of its own, and why. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  ...of('what a tool or its inspection throws is an observation of the run', [
    ...['area_changed', 'damaged', 'facts_invalid', 'facts_unavailable', 'file_changed'],
    ...['identity_invalid', 'invalid_keywords', 'invalid_result', 'moved', 'not_an_image'],
    ...['private_root', 'root_changed', 'same_file', 'service_bad_image', 'service_changed'],
    ...['service_failed', 'service_refused', 'service_timeout', 'service_too_large'],
    ...['service_unavailable', 'too_large', 'write_failed', 'invalid_root'],
    ...['facts_timeout', 'not_found', 'output_exists', 'tool_failed'],
  ]),
  ...of('servers are connected by a host, and their calls are observations of the run', [
    ...[
      'mcp_answer_too_long',
      'mcp_call_failed',
      'mcp_disconnected',
      'mcp_sdk_missing',
      'mcp_tool_error',
    ],
    'mcp_unavailable',
  ]),
  ...of('a host wrote what it complains of; an extension’s is told within words of its own', [
    ...['invalid_hook', 'invalid_tool', 'invalid_history'],
  ]),
  ...of('the command line restores runs only where it has opened a store', ['no_store']),
  ...of('a refused answer is said as one', ['invalid_answer']),
  ...of('the command line embeds no machine of an agent with a store', ['not_driven']),
  ...of('of a failed hook its step tells the message, which is the hook author’s', [
    ...['hook_crashed', 'hook_invalid'],
  ]),
  ...of('answered to the page by the server, in an HTTP response', [
    ...[
      'closed',
      'failed',
      'no_token',
      'not_a_command',
      'not_authorized',
      'wrong_method',
      'authorization_failed',
    ],
  ]),
};

describe('errors in the language of the person', () => {
  it('every code that is thrown outside the command line has Chinese words, or is never seen', () => {
    const codes = codesIn('src').concat(codesIn('machines'));
    expect(codes.length).toBeGreaterThan(60);
    const unsaid = codes.filter((code) => !isSaid(code) && ELSEWHERE[code] === undefined);
    expect([...new Set(unsaid)]).toEqual([]);
  });

  it('what is listed as never seen is thrown somewhere, and has no words to keep up', () => {
    const codes = new Set(codesIn('src').concat(codesIn('machines')));
    expect(Object.keys(ELSEWHERE).filter((code) => !codes.has(code) || isSaid(code))).toEqual([]);
  });

  it('the command line itself throws no words that are in one language only', () => {
    const bare = filesIn('src/cli').flatMap((file) =>
      [
        ...readFileSync(file, 'utf8').matchAll(/new AgentHubError\(\s*[^,]+,\s*(['"`][^\n]*)/gu),
      ].map(([, words]) => `${file}: ${words}`),
    );
    expect(bare.filter((found) => !found.includes('${say('))).toEqual([]);
  });

  it('a model that cannot be reached: what to do in Chinese, what the endpoint said as it is', () => {
    const error = {
      code: 'unavailable',
      message: 'glm-4.6: no connection (ECONNREFUSED). Check the connection and the endpoint.',
      details: { retryable: true, requests: [], cause: 'glm-4.6: no connection (ECONNREFUSED)' },
    };
    expect(sayError(error, 'en')).toBe(error.message);
    expect(sayError(error, 'zh')).toBe(
      '连不上模型，或它现在不能回答。请检查网络和接口地址。（glm-4.6: no connection (ECONNREFUSED)）',
    );
  });

  it('of other rules than a run began with it says which', () => {
    const named = (code: string, details: object) =>
      sayError({ code, message: '', details: { runId: 'r', ...details } }, 'zh');
    expect(named('policies_changed', { policies: ['echo', 'pay'] })).toContain(
      '不同的是这些工具的策略：echo、pay。',
    );
    expect(named('hooks_changed', { hooks: ['audit', 'guard'] })).toContain(
      '缺少、多出、改过或换了次序的是：audit、guard。',
    );
  });

  it('details fill the gaps; without them the original is there too', () => {
    const details = { to: 99, last: 7 };
    const error = { code: 'invalid_record', message: 'There is no record 99.' };
    expect(sayError({ ...error, details }, 'zh')).toBe('没有第 99 条记录：记录从 0 到 7。');
    expect(sayError(error, 'zh')).toBe(
      '没有第 … 条记录：记录从 0 到 …。（There is no record 99.）',
    );
  });
});

function isSaid(code: string): boolean {
  return Object.hasOwn(CHINESE, code) || Object.hasOwn(MODEL_CHINESE, code);
}

function of(why: string, codes: readonly string[]): Record<string, string> {
  return Object.fromEntries(codes.map((code) => [code, why]));
}

/** Codes by the ways in which sources name them. The command line's own are checked otherwise. */
function codesIn(folder: string): string[] {
  return filesIn(folder)
    .filter((file) => !file.startsWith('src/cli/') && !file.includes('/page/'))
    .flatMap((file) => {
      const source = readFileSync(file, 'utf8');
      return [
        ...source.matchAll(/new AgentHubError(?:<[^>]*>)?\(\s*'([a-z_]+)'/gu),
        ...source.matchAll(/new AgentHubError\([^,]*\? '([a-z_]+)' :/gu),
        ...source.matchAll(/new AgentHubError\([^,]*: '([a-z_]+)',/gu),
        ...source.matchAll(/toErrorData\([^;]*?, '([a-z_]+)'\)/gu),
        ...source.matchAll(/\| '((?:store|run|lease|log)_[a-z_]+)'/gu),
        ...source.matchAll(/\bcode: '([a-z_]+)',\s*message/gu),
      ].map(([, code = '']) => code);
    });
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
}
