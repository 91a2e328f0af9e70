import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createAgent } from '../../src/run/create-agent.ts';
import type { Run, RunEvent } from '../../src/run/run.types.ts';
import { openRuns } from '../../src/run/runs.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import {
  answer,
  asked,
  asks,
  callNote,
  noteTool,
  outcomes,
  said,
  scriptedAgent,
  untilAsked,
} from './support.ts';

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

  it.each([
    ['below zero', { inputTokens: -5, outputTokens: 1 }],
    ['not finite', { inputTokens: Number.NaN, outputTokens: 1 }],
    ['more than can be added up', { inputTokens: 1.7e308, outputTokens: 1 }],
  ])('ends with what is wrong when a model reports usage that is %s', async (_, usage) => {
    const requests = [{ messages: 1, characters: 4, usage, error: null, ms: 1 }];
    const reply = { text: 'ok', calls: [], finishReason: 'stop', model: 'm', requests } as const;
    const model = { name: 'odd', generate: async () => reply };
    const outcome = await scriptedAgent([], { model }).agent.start('task').outcome;
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'bad_response' } });
    expect(outcome.usage).toMatchObject({ requests: 1, inputTokens: 'unknown' });
  });

  it('gives tools and inspectors copies: what they change is not what is on record', async () => {
    const store = memoryStore();
    const kept: string[] = [];
    const input = z.strictObject({ list: z.array(z.number()) });
    const tool = defineTool<{ list: number[] }>({
      name: 'note',
      description: { zh: '记一笔', en: 'note' },
      input,
      inspectFacts: async ({ list }) => ({ kept, first: list.splice(0, list.length)[0] ?? null }),
      execute: async ({ list }, { facts, messages }) => {
        (facts as { touchesPrivate: unknown }).touchesPrivate = 'changed';
        kept.push('by the tool');
        expect(facts.kept).toEqual([]);
        expect(() => Object.assign(messages[0] as object, { content: 'other words' })).toThrow();
        return String(list.sort());
      },
    });
    const { agent, model } = scriptedAgent(
      [{ calls: [{ name: 'note', arguments: { list: [3, 1, 2] } }] }, answer('ok')],
      { tools: [tool as never], store },
    );
    const outcome = await agent.start('task').outcome;
    expect(outcome.messages[2]).toMatchObject({ outcome: 'ok', content: '1,2,3' });
    expect(outcome.messages[1]).toMatchObject({ calls: [{ input: { list: [3, 1, 2] } }] });
    expect(said(model.requests[1], 'user')).toEqual(['task']);
    expect((await openRuns(store).show('run-1')).messages).toEqual(outcome.messages);
  });

  it('executes what was shown: a host cannot change a question or an event', async () => {
    const { agent, started } = scriptedAgent([callNote('a'), answer('ok')], asks);
    const run = agent.start('task');
    for await (const event of run) {
      if (event.type !== 'permission.requested') continue;
      const [question] = event.questions;
      expect(() => Object.assign(question?.input as object, { text: 'other' })).toThrow();
      run.approve(asked(run));
    }
    expect(started).toEqual(['a']);
  });

  it.each(['model', 'tool'] as const)(
    'starts nothing any more once it was cancelled by whoever was told of its %s step',
    async (kind) => {
      const { agent, started, model } = scriptedAgent([callNote('a'), answer('ok')], {
        onEvent: (event) => {
          if (event.type === 'step.started' && event.step.kind === kind) runs[0]?.cancel();
        },
      });
      const runs = [agent.start('task')];
      const outcome = await runs[0]?.outcome;
      expect(outcome?.status).toBe('cancelled');
      expect(started).toEqual([]);
      expect(model.requests).toHaveLength(kind === 'model' ? 0 : 1);
      expect(outcome?.usage.requests).toBe(model.requests.length);
    },
  );

  it('takes the answers of whoever is told of its questions, at once', async () => {
    const results: unknown[] = [];
    const { agent, started } = scriptedAgent([callNote('a', 'b'), answer('ok')], {
      ...asks,
      onEvent: (event) => {
        if (event.type !== 'permission.requested') return;
        results.push(
          runs[0]?.approve(asked(runs[0])),
          runs[0]?.deny('1.1'),
          runs[0]?.approve(asked(runs[0], '1.1')),
        );
      },
    });
    const runs = [agent.start('task')];
    expect(outcomes(await (runs[0] as Run).outcome)).toEqual({ '1.0': 'ok', '1.1': 'denied' });
    expect(results).toMatchObject([
      { accepted: true },
      { accepted: true },
      { accepted: false, code: 'not_asked' },
    ]);
    expect(started).toEqual(['a']);
  });

  it('refuses a cancel of whoever is told that it is done', async () => {
    const results: unknown[] = [];
    const { agent } = scriptedAgent([answer('ok')], {
      onEvent: (event) => {
        if (event.type === 'state' && event.state === 'done') results.push(runs[0]?.cancel());
      },
    });
    const runs = [agent.start('task')];
    expect((await runs[0]?.outcome)?.status).toBe('done');
    expect(results).toMatchObject([{ accepted: false, code: 'ended' }]);
  });

  it('counts as many requests as its trace, with what they carried, whenever it is cancelled', async () => {
    const cancelAt = async (index: number) => {
      let told = 0;
      const runs: Run[] = [];
      const { agent } = scriptedAgent([callNote('a'), answer('ok')], {
        onEvent: () => {
          told += 1;
          if (told === index) runs[0]?.cancel();
        },
      });
      runs.push(agent.start('task'));
      const outcome = await (runs[0] as Run).outcome;
      const requests = (runs[0] as Run).trace.flatMap((step) =>
        step.kind === 'model' ? step.requests : [],
      );
      const characters = requests.reduce((sum, request) => sum + request.characters, 0);
      expect([index, outcome.usage.requests]).toEqual([index, requests.length]);
      expect([index, outcome.usage.characters]).toEqual([index, characters]);
      return outcome.status;
    };
    let index = 3;
    while ((await cancelAt(index)) === 'cancelled') index += 1;
    expect(index).toBeGreaterThan(15);
  });

  it('goes on from its own words: what a host does with an outcome changes nothing', async () => {
    const { agent, model } = scriptedAgent([callNote('a'), answer('ok')], { limits: { turns: 1 } });
    const run = agent.start('task');
    const { messages, status } = await run.outcome;
    expect(status).toBe('suspended');
    expect(() => Object.assign(messages[0] as object, { content: 'other words' })).toThrow();
    run.resume({ turns: 2 });
    await run.outcome;
    expect(said(model.requests[1], 'user')).toEqual(['task']);
  });

  it('carries the same words again, whatever a model does with a request', async () => {
    const seen: unknown[] = [];
    const scripted = scriptedModel([callNote('a'), answer('ok')]);
    const { agent } = scriptedAgent([], {
      model: {
        name: 'rude',
        generate: (request, options) => {
          seen.push(request.messages.map(({ content }) => content));
          expect(() => Object.assign(request.messages[0] as object, { content: '' })).toThrow();
          return scripted.generate(request, options);
        },
      },
    });
    await agent.start('task').outcome;
    expect(seen).toEqual([['task'], ['task', '', 'noted a']]);
  });

  it.each([
    [
      'throw',
      () => {
        throw new Error('host');
      },
    ],
    // Vitest fails on a rejection that nobody handles.
    ['reject', () => Promise.reject(new Error('host'))],
  ])('is not harmed by host callbacks that %s', async (_, callback) => {
    const { agent } = scriptedAgent([callNote('a'), answer('ok')], {
      onEvent: callback,
      inspect: callback,
    });
    expect((await agent.start('task').outcome).status).toBe('done');
  });

  it.each<[string, (text: string) => unknown]>([
    ['a bigint', (text: string) => BigInt(text.length)],
    ['a date', (text: string) => new Date(text.length)],
    ['a map', (text: string) => new Map([[text, 1]])],
    ['a function', (text: string) => () => text],
    ['NaN', () => Number.NaN],
    [
      'a cycle',
      () => {
        const cycle: { self?: object } = {};
        cycle.self = cycle;
        return cycle;
      },
    ],
  ])('refuses arguments of which a schema makes %s: they are no JSON', async (_, transform) => {
    const tool = defineTool({
      name: 'note',
      description: { zh: '记一笔', en: 'note' },
      input: z.strictObject({ text: z.string().transform(transform) }),
      execute: async () => 'ran',
    });
    const { agent } = scriptedAgent([callNote('a'), answer('ok')], { tools: [tool as never] });
    const outcome = await agent.start('task').outcome;
    expect(outcome.status).toBe('done');
    expect(outcomes(outcome)).toEqual({ '1.0': 'invalid_arguments' });
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
      /This agent drives run same already/u,
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

describe('close', () => {
  it('lets go of a run: whoever waits for it hears so, with what is there by then', async () => {
    const { agent } = scriptedAgent([callNote('a')], asks);
    const run = agent.start('go');
    await untilAsked(run);
    const waiting = run.outcome;
    await run.close();
    expect(await waiting).toMatchObject({
      status: 'closed',
      runId: 'run-1',
      usage: { requests: 1, inputTokens: 10, outputTokens: 2 },
      messages: [{ role: 'user' }, { role: 'assistant' }],
    });
    expect(run.approve(asked(run))).toMatchObject({ accepted: false, code: 'ended' });
    await run.close();
    expect((await run.outcome).status).toBe('closed');
  });

  it('changes nothing about a run that has come to rest', async () => {
    const { agent } = scriptedAgent([callNote('a')], { limits: { turns: 1 } });
    const run = agent.start('go');
    await run.outcome;
    await run.close();
    expect((await run.outcome).status).toBe('suspended');
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

describe('an agent refuses', () => {
  const hook = { name: 'gate', event: 'PreToolUse', matcher: '*', timeout: 10, run: () => ({}) };
  it.each([
    ['a hook of an unknown event', { hooks: [{ ...hook, event: 'PreToolUSE' }] }, 'invalid_hook'],
    ['a hook without a matcher', { hooks: [{ ...hook, matcher: undefined }] }, 'invalid_hook'],
    ['a hook that runs nothing', { hooks: [{ ...hook, run: undefined }] }, 'invalid_hook'],
    ['a tool that is only named', { tools: [{ name: 'note' }] }, 'invalid_tool'],
    ['instructions that are no text', { instructions: 5 }, 'invalid_options'],
    ['a timer that would fire at once', { inspectTimeout: 2 ** 31 }, 'invalid_options'],
    ['a lease without a length', { leaseTime: Number.NaN }, 'invalid_options'],
    ['a driver without a name', { owner: '' }, 'invalid_options'],
  ])('%s', (_, options, code) => {
    expect(() => scriptedAgent([], options as never)).toThrow(expect.objectContaining({ code }));
  });

  it.each(['', 'a\0b', '\ud800', 'x'.repeat(201), 5, {}])('the run id %o', (runId) => {
    const { agent } = scriptedAgent([]);
    expect(() => agent.start('task', { runId: runId as never })).toThrow(/run id/u);
  });
});
