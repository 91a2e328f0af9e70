import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAIN, startNode } from '../cli/node-process.ts';
import { temporaryFolder } from '../cli/temporary.ts';
import { type Answer, chunk, stream, testEndpoint } from '../model/endpoint.ts';

const EXTENSION = resolve('docs/examples/extension.mjs');
/** The module as a program imports it. */
const { policies } = await import(EXTENSION);
const QUESTION = 'More than 100 would be paid back';

/** A model that cancels an order, and says what came of it. */
function cancelling(order: string): readonly Answer[] {
  const call = {
    index: 0,
    id: 'c0',
    function: { name: 'cancel_order', arguments: JSON.stringify({ order }) },
  };
  const tell: Answer = (response, { body }) => {
    const { content } = (body.messages as { content: string }[]).at(-1) ?? { content: '' };
    stream([chunk({ content: `Done: ${content}` }, 'stop')])(response, {} as never);
  };
  return [stream([chunk({ tool_calls: [call] }, 'tool_calls')]), tell];
}

/** A folder for runs, with a model that does as it is told, for the program and the command line. */
async function shop(order: string) {
  const cwd = await temporaryFolder();
  const { baseURL, received } = await testEndpoint(...cancelling(order));
  const env = {
    AGENTHUB_PROVIDER: 'openai',
    AGENTHUB_MODEL: 'm',
    AGENTHUB_BASE_URL: baseURL,
    AGENTHUB_API_KEY: 'key',
    MODEL_URL: baseURL,
    OPENAI_API_KEY: 'key',
  };
  const agenthub = (...args: readonly string[]) => startNode([MAIN, ...args], { cwd, env }).ended;
  return { cwd, env, received, agenthub };
}

describe('the extension example of docs/guide.md, by real processes', () => {
  it('asks, is stored, approved and resumed from a second process by the very command printed', async () => {
    const { agenthub } = await shop('A-2');
    const args = ['run', 'Cancel order A-2', '--extension', EXTENSION, '--on-ask', 'wait'];
    const first = await agenthub(...args);
    expect([first.code, first.out]).toEqual([3, '']);
    expect(first.err).toContain(`ask    cancel_order · ${QUESTION}`);
    expect(first.err).toContain('hook   PreToolUse known-orders · proceed');
    const command = /^ {2}agenthub (approve .+)$/mu.exec(first.err)?.[1] ?? '';
    expect(command).toContain(`--extension ${EXTENSION}`);
    const second = await agenthub(...command.split(' '), '--resume');
    expect([second.code, second.out]).toEqual([0, 'Done: order A-2 cancelled, 900 paid back\n']);
  });

  it('its hook closes the gate', async () => {
    const { agenthub } = await shop('B-7');
    const { code, out } = await agenthub('run', 'Cancel order B-7', '--extension', EXTENSION);
    expect([code, out]).toEqual([
      0,
      expect.stringContaining('known-orders: there is no order B-7'),
    ]);
  });

  it('a run of a program that imports it goes on from the command line', async () => {
    const { cwd, env, agenthub } = await shop('A-2');
    const host = startNode([resolve('docs/examples/extension-host.mjs')], { cwd, env });
    const { code, out, err } = await host.ended;
    expect([code, err]).toEqual([0, '']);
    const [, id = ''] = /^(\S+) closed\n$/u.exec(out) ?? [];
    const refused = await agenthub('resume', id);
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining('name the same one: --extension <file>.'),
    ]);
    // The program made the database, so the person says once that it is theirs.
    expect((await agenthub('trust', '--yes')).code).toBe(0);
    const { out: shown } = await agenthub('show', id);
    const [, approve = ''] = /^ {2}agenthub (approve .+)$/mu.exec(shown) ?? [];
    const approved = await agenthub(...approve.split(' '), '--extension', EXTENSION, '--resume');
    expect([approved.code, approved.out]).toEqual([
      0,
      'Done: order A-2 cancelled, 900 paid back\n',
    ]);
  });

  it('verify: its property holds, until a configuration loosens the rule', async () => {
    const { cwd, agenthub } = await shop('A-2');
    const verify = (...more: string[]) =>
      agenthub('verify', '--extension', EXTENSION, '--calls', '1', ...more);
    const held = await verify();
    expect([held.code, held.out]).toEqual([0, expect.stringMatching(/^paid back +holds/mu)]);
    const { cancel_order } = policies;
    const when = [{ fact: 'paid', above: 500 }];
    const rules = cancel_order.rules.map((rule: object) => ({ ...rule, when }));
    const config = { permissions: { policies: { cancel_order: { rules } } } };
    await writeFile(join(cwd, 'agenthub.config.json'), JSON.stringify(config));
    const broken = await verify('--config', 'agenthub.config.json');
    expect([broken.code, broken.out]).toEqual([1, expect.stringMatching(/^paid back +broken/mu)]);
  });
});
