import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import type { ModelRequest } from '../../machines/vocabulary/model.ts';
import { defineHook } from '../../src/hooks/define-hook.ts';
import { measureRequest } from '../../src/model/measure-request.ts';
import { hold } from '../../src/testing/scripted-model.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { answer, callNote, outcomes, said, scriptedAgent } from './support.ts';

describe('cancel', () => {
  it('aborts the model, and nothing starts afterwards', async () => {
    const held = hold();
    const { agent, started } = scriptedAgent([
      { calls: [{ name: 'note', arguments: { text: 'a' } }], hold: held },
    ]);
    const run = agent.start('task');
    await held.reached;
    expect(run.cancel({ by: 'Ada' })).toEqual({ accepted: true });
    held.release();
    expect((await run.outcome).status).toBe('cancelled');
    expect(started).toEqual([]);
    expect(run.trace.every(({ endedAt }) => endedAt !== null)).toBe(true);
    expect(run.cancel()).toMatchObject({ accepted: false, code: 'ended' });
  });

  it('aborts a running tool, whose call is observed as cancelled', async () => {
    let aborted = false;
    let begun = (): void => {};
    const isRunning = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const slow = defineTool({
      name: 'note',
      description: { zh: '记一笔', en: 'note' },
      input: z.strictObject({ text: z.string() }),
      execute: (_, { signal }) => {
        begun();
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted = true;
            reject(new Error('aborted'));
          });
        });
      },
    });
    const { agent } = scriptedAgent([callNote('a')], { tools: [slow] });
    const run = agent.start('task');
    await isRunning;
    run.cancel();
    expect(outcomes(await run.outcome)).toEqual({ '1.0': 'cancelled' });
    expect(aborted).toBe(true);
    expect(run.trace.find(({ kind }) => kind === 'tool')).toMatchObject({ outcome: 'cancelled' });
  });
});

describe('tools', () => {
  const tool = (execute: () => unknown, timeout = 1_000) =>
    defineTool({
      name: 'note',
      description: { zh: '记一笔', en: 'note' },
      input: z.strictObject({ text: z.string() }),
      timeout,
      execute: execute as () => Promise<string>,
    });

  it.each([
    ['throws', () => Promise.reject(new AgentHubError('x', 'no ink')), 'error', 'no ink'],
    [
      'throws at once',
      () => {
        throw new Error('no pen');
      },
      'error',
      'no pen',
    ],
    ['throws nothing', () => Promise.reject(undefined), 'error', 'undefined'],
    ['answers nothing', () => undefined, 'error', 'neither text'],
    ['answers { content }', () => ({ content: 'fine' }), 'ok', 'fine'],
  ])('that %s is a result', async (_, execute, outcome, words) => {
    const { agent, model } = scriptedAgent([callNote('a'), answer('ok')], {
      tools: [tool(execute)],
    });
    const ended = await agent.start('task').outcome;
    expect(ended.status).toBe('done');
    expect(outcomes(ended)).toEqual({ '1.0': outcome });
    expect(said(model.requests[1], 'tool')[0]).toContain(words);
  });

  it('that never ends times out, even when it ignores its signal', async () => {
    const { agent } = scriptedAgent([callNote('a'), answer('ok')], {
      tools: [tool(() => new Promise(() => {}), 5)],
    });
    expect(outcomes(await agent.start('task').outcome)).toEqual({ '1.0': 'timeout' });
  });

  it.each([
    [true, 'zh', /^这次调用超时未完成。\n.*可以放心再次调用。$/u],
    [true, 'en', /^The call did not finish in time\.\n.*calling it again does no harm\.$/u],
    [false, 'zh', /它可能已经生效。$/u],
    [false, 'en', /it may have taken effect\.$/u],
  ] as const)(
    'that is safe to repeat (%s) says so when it times out, in %s',
    async (safeToRepeat, locale, words) => {
      const never = { ...tool(() => new Promise(() => {}), 5), safeToRepeat };
      const { agent, model } = scriptedAgent([callNote('a'), answer('ok')], {
        tools: [never],
        locale,
      });
      await agent.start('task').outcome;
      const text = said(model.requests[1], 'tool')[0] ?? '';
      expect(text).toMatch(words);
      if (safeToRepeat) expect(text).not.toMatch(/可能已经|taken effect/u);
    },
  );

  it('whose facts take too long have done nothing, and nothing else is said', async () => {
    const slow = { ...tool(() => 'x'), inspectFacts: () => new Promise<never>(() => {}) };
    const { agent, model } = scriptedAgent([callNote('a'), answer('ok')], {
      tools: [slow],
      inspectTimeout: 5,
      locale: 'en',
    });
    await agent.start('task').outcome;
    const text = said(model.requests[1], 'tool')[0] ?? '';
    expect(text).toMatch(/did not run and nothing happened/u);
    expect(text).toContain('No answer within 5 ms.');
    expect(text).not.toContain('taken effect');
  });

  it('run at most as many at a time as allowed, and one failure never touches another', async () => {
    let running = 0;
    let most = 0;
    const busy = tool(async () => {
      running += 1;
      most = Math.max(most, running);
      // Long enough for another to come in, if it may.
      for (let turn = 0; turn < 20; turn += 1) await nextTurn();
      running -= 1;
      return 'ok';
    });
    const { agent } = scriptedAgent([callNote('a', 'b', 'c', 'd', 'e'), answer('ok')], {
      tools: [busy],
      maxParallelTools: 2,
    });
    const ended = await agent.start('task').outcome;
    expect(Object.values(outcomes(ended))).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']);
    expect(most).toBe(2);
  });

  it('have their results capped, and the cut is marked', async () => {
    const { agent, model } = scriptedAgent([callNote('a'), answer('ok')], {
      tools: [tool(async () => '字'.repeat(50_000))],
      maxResultBytes: 1_000,
    });
    await agent.start('task').outcome;
    const [seen = ''] = said(model.requests[1], 'tool');
    expect(Buffer.byteLength(seen)).toBeLessThan(1_200);
    expect(seen).toContain('150000 bytes');
  });

  it('whose facts cannot be looked up do not run', async () => {
    const broken = {
      ...tool(() => 'ok'),
      inspectFacts: () => Promise.reject(new Error('disk on fire')),
    };
    const { agent, model } = scriptedAgent([callNote('a'), answer('ok')], { tools: [broken] });
    expect(outcomes(await agent.start('task').outcome)).toEqual({ '1.0': 'facts_unavailable' });
    expect(said(model.requests[1], 'tool')[0]).toContain('disk on fire');
  });

  it('whose facts are not facts do not run', async () => {
    const lying = {
      ...tool(() => 'ok'),
      inspectFacts: () => Promise.resolve({ touchesPrivate: 'no' } as never),
    };
    const { agent } = scriptedAgent([callNote('a'), answer('ok')], { tools: [lying] });
    expect(outcomes(await agent.start('task').outcome)).toEqual({ '1.0': 'facts_unavailable' });
  });
});

describe('calls that never reach the evaluator', () => {
  it('are in the trace all the same, with what was wrong', async () => {
    const calls = [
      { name: 'nope', arguments: {}, id: 'a' },
      { name: 'note', arguments: { text: 7 }, id: 'b' },
      { name: 'note', arguments: { text: 'fits' }, id: 'c' },
    ];
    const { agent, started } = scriptedAgent([{ calls, usage: null }, answer('ok')]);
    const run = agent.start('task');
    await run.outcome;
    const decisions = run.trace.flatMap((step) =>
      step.kind === 'decision' ? [[step.callId, step.tool, step.action, step.outcome]] : [],
    );
    expect(decisions).toEqual([
      ['1.0', 'nope', 'deny', 'unknown_tool'],
      ['1.1', 'note', 'deny', 'invalid_arguments'],
      ['1.2', 'note', 'allow', null],
    ]);
    expect(started).toEqual(['fits']);
  });
});

describe('text for the model that is not a result', () => {
  const huge = 'x'.repeat(300_000);
  const carried = ({ requests: [, second] }: { requests: readonly ModelRequest[] }) =>
    second === undefined ? 0 : measureRequest(second).characters;

  it.each([
    ['an unknown tool', { name: `n${huge}`, arguments: {} }],
    ['arguments that are no object', { name: 'note', arguments: `"${huge}"` }],
    ['an unknown argument', { name: 'note', arguments: { text: 'a', [huge]: 1 } }],
  ])('is cut when it quotes %s', async (_, call) => {
    const { agent } = scriptedAgent([{ calls: [call], usage: null }, answer('ok')]);
    const run = agent.start('task');
    const { messages } = await run.outcome;
    const observation = messages.find(({ role }) => role === 'observation');
    const { content = '' } = observation as { content?: string };
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(32_000);
  });

  it('is cut when a PostToolUse hook writes it', async () => {
    const hook = defineHook({
      name: 'wordy',
      event: 'PostToolUse',
      run: () => ({ content: huge, context: huge }),
    });
    const { agent, model } = scriptedAgent([callNote('a'), answer('ok')], { hooks: [hook] });
    await agent.start('task').outcome;
    expect(carried(model)).toBeLessThan(65_000);
    expect(carried(model)).toBeGreaterThan(60_000);
  });
});
