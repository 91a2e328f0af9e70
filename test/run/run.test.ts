import { describe, expect, it } from 'vitest';
import { createAgent } from '../../src/run/create-agent.ts';
import type { RunEvent } from '../../src/run/run.types.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { answer, asks, callNote, noteTool, outcomes, said, scriptedAgent } from './support.ts';

describe('a run', () => {
  it('tells its events: states, pieces of the reply, steps, the rest', async () => {
    const { agent } = scriptedAgent([callNote('a'), answer('hello there')]);
    const run = agent.start('task');
    const events: RunEvent[] = [];
    for await (const event of run) events.push(event);
    const states = events.flatMap((event) => (event.type === 'state' ? [event.state] : []));
    expect(states).toEqual([
      'callModel.checking',
      'callModel.working',
      'parseReply',
      'preToolHook.checking',
      'preToolHook.routing',
      'awaitPermission.inspecting',
      'awaitPermission.deciding',
      'execute',
      'postToolHook.checking',
      'callModel.checking',
      'callModel.working',
      'parseReply',
      'stopHook.checking',
      'done',
    ]);
    const text = events
      .flatMap((event) =>
        event.type === 'delta' && event.delta.kind === 'text' ? [event.delta.text] : [],
      )
      .join('');
    expect(text).toBe('hello there');
    expect(events.at(-1)).toMatchObject({ type: 'rest', outcome: { status: 'done' } });
    expect(run.trace.map(({ kind }) => kind)).toEqual(['model', 'decision', 'tool', 'model']);
    expect(run.trace.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  });

  it('gives a reader that comes later what it missed, and ends with the run', async () => {
    const { agent } = scriptedAgent([answer('ok')]);
    const run = agent.start('task');
    await run.outcome;
    const types: string[] = [];
    for await (const { type } of run) types.push(type);
    expect(types[0]).toBe('state');
    expect(types.at(-1)).toBe('rest');
  });

  it('is not harmed by host callbacks that throw', async () => {
    const { agent } = scriptedAgent([callNote('a'), answer('ok')], {
      onEvent: () => {
        throw new Error('host');
      },
      inspect: () => {
        throw new Error('host');
      },
    });
    expect((await agent.start('task').outcome).status).toBe('done');
  });

  it('goes on from an earlier conversation, with call ids that do not repeat', async () => {
    const first = scriptedAgent([callNote('a'), answer('ok')]);
    const { messages } = await first.agent.start('one').outcome;
    const second = scriptedAgent([callNote('b'), answer('ok')]);
    const ended = await second.agent.start('two', { history: messages }).outcome;
    expect(outcomes(ended)).toEqual({ '1.0': 'ok', '3.0': 'ok' });
    expect(said(second.model.requests[0], 'user')).toEqual(['one', 'two']);
  });

  it('has an id of its own: a second run of the same id is refused while the first goes on', async () => {
    const { agent } = scriptedAgent([callNote('a'), answer('ok')], asks);
    const run = agent.start('one', { runId: 'same' });
    expect(() => agent.start('two', { runId: 'same' })).toThrow(
      /A run same of this agent is under way/u,
    );
    run.cancel();
    expect((await run.outcome).status).toBe('cancelled');
  });

  it('refuses a history in which a call has no observation', async () => {
    const first = scriptedAgent([callNote('a'), answer('ok')]);
    const { messages } = await first.agent.start('one').outcome;
    const cut = messages.filter(({ role }) => role !== 'observation');
    expect(() => first.agent.start('two', { history: cut })).toThrow(
      /history\.2: every call needs/u,
    );
  });

  it('whose protocol crashes fails with that error', async () => {
    const protocol = {
      name: 'native-calls' as const,
      toRequest: () => ({ messages: [], tools: [], stop: [] }),
      parseReply: () => {
        throw new Error('cannot read');
      },
    };
    const { agent } = scriptedAgent([answer('ok')], { protocol });
    expect(await agent.start('task').outcome).toMatchObject({
      status: 'failed',
      error: { code: 'parse_failed', message: 'cannot read' },
    });
  });
});

describe('options that cannot be', () => {
  const model = scriptedModel([]);
  it.each([
    [{ limits: { turns: 0 } }, /limits\.turns: /u],
    [{ limits: { turn: 3 } }, /limits\.turn: there is no such setting; allowed: turns, toolCalls/u],
    [{ protocol: 'xml' }, /protocol: "xml" is not known/u],
    [{ locale: 'fr' }, /options\.locale: /u],
    [{ permissions: { policies: { a: 'maybe' } } }, /permissions\.policies\.a: /u],
    [
      {
        permissions: {
          policies: {
            a: {
              rules: [
                {
                  when: [],
                  action: 'ask',
                  approval: null,
                  reason: { code: 'x', zh: 'x', en: 'x' },
                },
              ],
            },
          },
        },
      },
      /must name the approval/u,
    ],
    [
      { permissions: { policies: { echo: 'alow' } } },
      /^permissions\.policies\.echo: "alow" is not allowed; allowed: "allow" \| "ask" \| "deny" \| \{ rules \}$/u,
    ],
    [{ tools: [noteTool().tool, noteTool().tool] }, /tools\.1: "note" is there twice/u],
    [{ model: {} }, /model: give a Model/u],
  ])('%j', (options, words) => {
    expect(() => createAgent({ model, ...options } as never)).toThrow(words);
  });

  it('an empty prompt is refused', () => {
    expect(() => createAgent({ model }).start(' \n')).toThrow(/The prompt is empty/u);
  });
});
