import { describe, expect, it } from 'vitest';
import { defineHook } from '../../src/hooks/index.ts';
import { createTodoWrite } from '../../src/tools/todo-write/todo-write.ts';
import { answer, asked, callNote, outcomes, said, scriptedAgent } from './support.ts';

const PROMPT = '  Buy milk — 买牛奶 \n';

describe('UserPromptSubmit', () => {
  it('puts its context beside the prompt, which reaches the model unchanged', async () => {
    const hook = defineHook({
      name: 'clock',
      event: 'UserPromptSubmit',
      run: () => ({ decision: 'proceed', context: 'today is Monday' }),
    });
    const { agent, model } = scriptedAgent([answer('ok')], { hooks: [hook] });
    const { status } = await agent.start(PROMPT).outcome;
    expect(status).toBe('done');
    const users = said(model.requests[0], 'user');
    expect(users[0]).toBe(PROMPT);
    expect(users).toHaveLength(2);
    expect(users[1]).toContain('today is Monday');
    expect(users[1]).toContain('clock');
  });

  it.each([
    [
      'blocks',
      () => ({ decision: 'block' as const, reason: 'not here' }),
      'prompt_blocked',
      'guard: not here',
    ],
    [
      'crashes',
      () => {
        throw new Error('boom');
      },
      'hook_failed',
      'boom',
    ],
    ['answers nonsense', () => ({ decision: 'maybe' }) as never, 'hook_failed', 'decision'],
  ])('ends the run before any model request when it %s', async (_, run, code, words) => {
    const hook = defineHook({ name: 'guard', event: 'UserPromptSubmit', run });
    const { agent, model } = scriptedAgent([], { hooks: [hook] });
    const outcome = await agent.start(PROMPT).outcome;
    expect(outcome).toMatchObject({ status: 'failed', error: { code } });
    expect(outcome.status === 'failed' && outcome.error.message).toContain(words);
    expect(model.requests).toHaveLength(0);
    expect(outcome.usage).toMatchObject({ requests: 0, inputTokens: 0 });
  });
});

describe('PreToolUse', () => {
  it('blocks a call: its execute runs 0 times and the reason is in the next request', async () => {
    const hook = defineHook({
      name: 'no-secrets',
      event: 'PreToolUse',
      run: ({ input }) =>
        JSON.stringify(input).includes('secret')
          ? { decision: 'block', reason: 'it names a secret' }
          : { decision: 'proceed' },
    });
    const { agent, model, started } = scriptedAgent([callNote('a secret', 'milk'), answer('ok')], {
      hooks: [hook],
    });
    const outcome = await agent.start(PROMPT).outcome;
    expect(started).toEqual(['milk']);
    expect(outcomes(outcome)).toEqual({ '1.0': 'blocked', '1.1': 'ok' });
    const [blocked, ran] = said(model.requests[1], 'tool');
    expect(blocked).toContain('no-secrets: it names a secret');
    expect(ran).toContain('noted milk');
  });

  it.each([
    [
      'crashes',
      () => {
        throw new Error('gate is broken');
      },
      'gate is broken',
    ],
    ['says nothing', () => undefined as never, 'gate'],
    ['does not decide', () => ({ context: 'x' }) as never, 'decision'],
  ])('closes the gate when it %s', async (_, run, words) => {
    const hook = defineHook({ name: 'gate', event: 'PreToolUse', run });
    const { agent, model, started } = scriptedAgent([callNote('milk'), answer('ok')], {
      hooks: [hook],
    });
    const outcome = await agent.start(PROMPT).outcome;
    expect(started).toEqual([]);
    expect(outcomes(outcome)).toEqual({ '1.0': 'hook_failed' });
    expect(said(model.requests[1], 'tool')[0]).toContain(words);
  });

  it('times out by its own timeout and closes the gate', async () => {
    const hook = defineHook({
      name: 'slow',
      event: 'PreToolUse',
      timeout: 5,
      run: () => new Promise(() => {}),
    });
    const { agent, started } = scriptedAgent([callNote('milk'), answer('ok')], { hooks: [hook] });
    expect(outcomes(await agent.start(PROMPT).outcome)).toEqual({ '1.0': 'hook_failed' });
    expect(started).toEqual([]);
  });

  it('replaces the input in order, validated, and the last one is executed', async () => {
    const append = (name: string) =>
      defineHook({
        name,
        event: 'PreToolUse',
        run: ({ input }) => ({
          decision: 'proceed',
          input: { text: `${(input as { text: string }).text} ${name}` },
        }),
      });
    const { agent, started } = scriptedAgent([callNote('milk'), answer('ok')], {
      hooks: [append('one'), append('two')],
    });
    await agent.start(PROMPT).outcome;
    expect(started).toEqual(['milk one two']);
  });

  it('replaces a to-do list: the list shown is the one that was written', async () => {
    const todos = (content: string) => ({ todos: [{ content, status: 'pending' }] });
    const hook = defineHook({
      name: 'redact',
      event: 'PreToolUse',
      run: () => ({ decision: 'proceed', input: todos('call ***') }),
    });
    const seen: unknown[] = [];
    const onStop = defineHook({
      name: 'see',
      event: 'Stop',
      run: (view) => {
        seen.push(...view.todos.map(({ content }) => content));
        return { decision: 'allow' };
      },
    });
    const write = { calls: [{ name: 'todo_write', arguments: todos('call 555-1234') }] };
    const { agent } = scriptedAgent([write, answer('ok')], {
      tools: [createTodoWrite()] as never,
      hooks: [hook, onStop],
    });
    const outcome = await agent.start(PROMPT).outcome;
    expect(outcome.todos.map(({ content }) => content)).toEqual(['call ***']);
    expect(seen).toEqual(['call ***']);
    // What the model asked for stays what it asked for.
    expect(outcome.messages[1]).toMatchObject({ calls: [{ input: todos('call 555-1234') }] });
  });

  it('fails when its replacement does not fit the tool', async () => {
    const hook = defineHook({
      name: 'mangle',
      event: 'PreToolUse',
      run: () => ({ decision: 'proceed', input: { text: 7 } }),
    });
    const { agent, started } = scriptedAgent([callNote('milk'), answer('ok')], { hooks: [hook] });
    expect(outcomes(await agent.start(PROMPT).outcome)).toEqual({ '1.0': 'hook_failed' });
    expect(started).toEqual([]);
  });

  it('can ask, cannot loosen: a policy that denies stays', async () => {
    const hook = defineHook({
      name: 'lenient',
      event: 'PreToolUse',
      run: () => ({ decision: 'proceed' }),
    });
    const { agent, started } = scriptedAgent([callNote('milk'), answer('ok')], {
      hooks: [hook],
      permissions: { policies: { note: 'deny' } },
    });
    expect(outcomes(await agent.start(PROMPT).outcome)).toEqual({ '1.0': 'denied' });
    expect(started).toEqual([]);
  });

  it('asks a person with its own words', async () => {
    const hook = defineHook({
      name: 'careful',
      event: 'PreToolUse',
      run: () => ({ decision: 'ask', reason: 'looks expensive' }),
    });
    const { agent, started } = scriptedAgent([callNote('milk'), answer('ok')], { hooks: [hook] });
    const run = agent.start(PROMPT);
    for await (const event of run) {
      if (event.type !== 'permission.requested') continue;
      expect(event.questions.map(({ reasons }) => reasons.map(({ en }) => en))).toEqual([
        ['A hook wants a person to decide: careful: looks expensive'],
      ]);
      expect(run.approve(asked(run))).toEqual({ accepted: true });
    }
    expect(outcomes(await run.outcome)).toEqual({ '1.0': 'ok' });
    expect(started).toEqual(['milk']);
  });
});

describe('PostToolUse', () => {
  it('adds context and replaces what the model sees', async () => {
    const hook = defineHook({
      name: 'redact',
      event: 'PostToolUse',
      run: ({ content }) => ({ content: content.replace('milk', '****'), context: 'was redacted' }),
    });
    const { agent, model } = scriptedAgent([callNote('milk'), answer('ok')], { hooks: [hook] });
    await agent.start(PROMPT).outcome;
    const [seen] = said(model.requests[1], 'tool');
    expect(seen).toContain('noted ****');
    expect(seen).not.toContain('milk');
    expect(seen).toContain('was redacted');
  });

  it('keeps the result when it crashes', async () => {
    const hook = defineHook({
      name: 'broken',
      event: 'PostToolUse',
      run: () => {
        throw new Error('boom');
      },
    });
    const { agent, model } = scriptedAgent([callNote('milk'), answer('ok')], { hooks: [hook] });
    const run = agent.start(PROMPT);
    const outcome = await run.outcome;
    expect(outcome.status).toBe('done');
    expect(said(model.requests[1], 'tool')[0]).toContain('noted milk');
    expect(run.trace.filter(({ kind }) => kind === 'hook')).toMatchObject([
      { hook: 'broken', verdict: 'failed', error: { code: 'hook_crashed' } },
    ]);
  });
});

describe('Stop', () => {
  const blocker = (times: number) =>
    defineHook({
      name: 'tests-first',
      event: 'Stop',
      run: ({ stopBlocks }) =>
        stopBlocks < times ? { decision: 'block', reason: 'run the tests' } : { decision: 'allow' },
    });

  it('blocks, and its reason is in the next request', async () => {
    const { agent, model } = scriptedAgent([answer('one'), answer('two')], { hooks: [blocker(1)] });
    const outcome = await agent.start(PROMPT).outcome;
    expect(outcome).toMatchObject({ status: 'done', answer: 'two' });
    expect(said(model.requests[1], 'user').at(-1)).toContain('run the tests');
  });

  it('is stopped by the limit, with the partial answer, and goes on when it is raised', async () => {
    const { agent, model } = scriptedAgent([answer('one'), answer('two'), answer('three')], {
      hooks: [blocker(2)],
      limits: { stopBlocks: 1 },
    });
    const run = agent.start(PROMPT);
    expect(await run.outcome).toMatchObject({
      status: 'suspended',
      reason: 'limit.stop_blocks',
      partialAnswer: 'two',
    });
    expect(run.resume()).toMatchObject({ accepted: false, code: 'not_raised' });
    expect(run.resume({ stopBlocks: 2 })).toEqual({ accepted: true });
    expect(await run.outcome).toMatchObject({ status: 'done', answer: 'three' });
    expect(
      said(model.requests[2], 'user').filter((text) => text.includes('run the tests')),
    ).toHaveLength(2);
  });

  it('never passes as allow when it crashes: the run is suspended and can be retried', async () => {
    let broken = true;
    const hook = defineHook({
      name: 'flaky',
      event: 'Stop',
      run: () => {
        if (broken) throw new Error('boom');
        return { decision: 'allow' };
      },
    });
    const { agent, model } = scriptedAgent([answer('one')], { hooks: [hook] });
    const run = agent.start(PROMPT);
    expect(await run.outcome).toMatchObject({ status: 'suspended', reason: 'hook_failed' });
    broken = false;
    expect(run.resume()).toEqual({ accepted: true });
    expect(await run.outcome).toMatchObject({ status: 'done', answer: 'one' });
    expect(model.requests).toHaveLength(1);
  });
});
