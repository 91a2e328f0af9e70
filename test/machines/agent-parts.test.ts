import { describe, expect, it } from 'vitest';
import type { AgentContext, Call } from '../../machines/agent/agent.types.ts';
import { createContext } from '../../machines/agent/agent.updates.ts';
import {
  explainCall,
  questionsOf,
  reportUsage,
  restOf,
  stateOf,
  todosOf,
} from '../../machines/agent/agent.view.ts';
import { digest } from '../../machines/agent/digest.ts';
import { matchesTool } from '../../machines/agent/matcher.ts';
import { countRepeat, NO_REPEATS } from '../../machines/agent/repeats.ts';
import type { Outcome } from '../../machines/vocabulary/messages.ts';
import { runInput, toolCall } from './doubles.ts';

describe('matchesTool', () => {
  it.each([
    ['', 'any', true],
    ['*', 'any', true],
    [' * ', 'any', true],
    ['echo', 'echo', true],
    ['echo', 'echo_all', false],
    ['echo', 'Echo', false],
    ['echo|image_scaling', 'image_scaling', true],
    ['echo, image_scaling', 'image_scaling', true],
    ['echo|image_scaling', 'image', false],
    ['|', 'echo', false],
    ['image_.*', 'image_scaling', true],
    ['.*_search', 'knowledge_search', true],
    ['^image', 'my_image', false],
    ['image.', 'my_images', true],
    ['(?!echo)^', 'echo', false],
    ['mcp__.*__write', 'mcp__files__write', true],
    // One that does not compile closes every gate.
    ['(', 'any', true],
    ['[a-', 'any', true],
    ['工具', '工具', true],
    ['工具', 'echo', false],
  ])('"%s" on %s: %s', (matcher, tool, selected) => {
    expect(matchesTool(matcher, tool)).toBe(selected);
  });
});

describe('digest', () => {
  it('is the same for the same text, and another for another', () => {
    expect(digest('a')).toBe(digest('a'));
    const texts = Array.from({ length: 20_000 }, (_, index) => `${index}`);
    expect(new Set(texts.map(digest)).size).toBe(texts.length);
    for (const [one, other] of [
      ['', ' '],
      ['ab', 'ba'],
      ['退货', '货退'],
      ['a\ud83d\ude00', 'a\ud83d\ude01'],
    ] as const)
      expect(digest(one)).not.toBe(digest(other));
  });

  it('stays short and exact for a long text', () => {
    const long = 'x'.repeat(1_000_000);
    expect(digest(long)).toMatch(/^[0-9a-z]{1,11}$/u);
    expect(digest(long)).not.toBe(digest(`${long}x`));
  });
});

function settledCall(changes: Partial<Call> = {}): Call {
  return {
    id: '1.0',
    providerId: null,
    tool: 'note',
    requestedInput: { a: 1, b: 2 },
    input: { a: 1, b: 2 },
    stage: 'settled',
    starts: 1,
    hookQuestions: [],
    outcomeUnknown: false,
    facts: null,
    inspectionError: null,
    setbacks: 0,
    grants: [],
    context: [],
    result: { outcome: 'ok', content: 'noted', reasons: [], ms: 7 },
    ...changes,
  };
}

describe('countRepeat', () => {
  const count = (...calls: Call[]) => calls.reduce(countRepeat, NO_REPEATS).most;
  const result = (outcome: Outcome, content: string) => ({ outcome, content, reasons: [], ms: 0 });

  it('counts the same tool, arguments and result, whatever their order and time', () => {
    expect(count()).toBe(0);
    expect(count(settledCall(), settledCall(), settledCall())).toBe(3);
    const again = settledCall({
      id: '2.0',
      requestedInput: { b: 2, a: 1 },
      result: { ...result('ok', 'noted'), ms: 900 },
    });
    expect(count(settledCall(), again)).toBe(2);
    expect(count(settledCall(), settledCall({ tool: 'other' }), again)).toBe(2);
  });

  it.each([
    ['tool', { tool: 'other' }],
    ['arguments', { requestedInput: { a: 1 } }],
    ['result', { result: result('ok', 'other') }],
    ['outcome', { result: result('error', 'noted') }],
  ])('another %s is another call', (_, changes) => {
    expect(count(settledCall(), settledCall(changes))).toBe(1);
  });

  it('counts by what the model asked for, not by what a hook made of it', () => {
    expect(count(settledCall(), settledCall({ input: { a: 9 } }))).toBe(2);
  });

  it('keeps every count, and copies one group only', () => {
    const calls = Array.from({ length: 200 }, (_, index) => settledCall({ requestedInput: index }));
    const repeats = [...calls, ...calls].reduce(countRepeat, NO_REPEATS);
    expect(repeats.most).toBe(2);
    const counts = Object.values(repeats.groups).flatMap((group) => Object.values(group));
    expect(counts).toEqual(Array(200).fill(2));
    const next = countRepeat(repeats, settledCall({ requestedInput: 'new' }));
    const same = Object.keys(next.groups).filter(
      (name) => next.groups[name] === repeats.groups[name],
    );
    expect(same.length).toBeGreaterThanOrEqual(Object.keys(repeats.groups).length - 1);
  });
});

describe('the view', () => {
  const snapshot = (context: Partial<AgentContext>, value: unknown = 'execute') => ({
    value,
    context: { ...createContext(runInput()), ...context },
  });
  const facts = {
    toolName: 'note',
    touchesPrivate: false,
    outsideAllowedArea: false,
    serviceAllowed: true,
    outputExists: true,
    identity: null,
  };

  it('names the state with its sub-states', () => {
    expect(stateOf(snapshot({}, 'done'))).toBe('done');
    expect(stateOf(snapshot({}, { awaitPermission: 'asking' }))).toBe('awaitPermission.asking');
  });

  it('asks about the calls that are asked, and no others', () => {
    const asked = settledCall({ id: '1.1', stage: 'asked', result: null, facts });
    const context = {
      calls: [settledCall(), asked],
      policies: { note: 'ask' as const },
      deadline: 9,
    };
    const [question, ...more] = questionsOf(snapshot(context));
    expect(more).toEqual([]);
    expect(question).toMatchObject({
      callId: '1.1',
      missing: ['use'],
      earlierApprovalVoid: false,
      deadline: 9,
      reasons: [{ code: 'use_not_approved' }],
    });
    expect(JSON.parse(question?.shown ?? '')).toMatchObject({
      tool: 'note',
      input: { a: 1, b: 2 },
      attempt: 2,
      facts: { outputExists: true },
    });
  });

  it('says when an earlier approval is void', () => {
    const grant = { approvals: ['use'] as const, shown: '{}', by: 'Ada', at: 1, expiresAt: null };
    const asked = settledCall({ stage: 'asked', result: null, facts, grants: [grant] });
    const context = { calls: [asked], policies: { note: 'ask' as const } };
    expect(questionsOf(snapshot(context))[0]?.earlierApprovalVoid).toBe(true);
  });

  it('explains a call by its facts; one without facts, or unknown, has nothing to explain', () => {
    const calls = [settledCall({ facts }), settledCall({ id: '1.1' })];
    const given = snapshot({ calls, policies: { note: 'deny' } });
    expect(explainCall(given, '1.0').map(({ rule, matched }) => [rule, matched])).toEqual([
      ['engine', false],
      ['engine', false],
      ['policy', true],
      ['engine', false],
    ]);
    expect(explainCall(given, '1.1')).toEqual([]);
    expect(explainCall(given, '9.9')).toEqual([]);
  });

  it('gives the list and the rest as they stand', () => {
    const messages = toolCall('1.0', 'todo_write', {
      todos: [{ content: 'a', status: 'pending' }],
    });
    expect(todosOf(snapshot({ messages }))).toMatchObject([{ content: 'a', verified: false }]);
    expect(restOf(snapshot({}))).toBeNull();
    expect(restOf(snapshot({ rest: { status: 'cancelled' } }))).toEqual({ status: 'cancelled' });
  });

  it('reports usage, unknown as soon as one request went unreported', () => {
    const totals = {
      requests: 3,
      unreported: 0,
      inputTokens: 30,
      outputTokens: 6,
      messages: 9,
      characters: 900,
    };
    expect(reportUsage(totals)).toMatchObject({ inputTokens: 30, outputTokens: 6 });
    expect(reportUsage({ ...totals, unreported: 1 })).toEqual({
      requests: 3,
      inputTokens: 'unknown',
      outputTokens: 'unknown',
      reported: { inputTokens: 30, outputTokens: 6 },
      messages: 9,
      characters: 900,
    });
  });
});

describe('createContext', () => {
  it('goes on counting turns where the history left off', () => {
    const history = toolCall('1.0', 'note', {}).map((message) =>
      message.role === 'assistant' ? { ...message, turn: 7 } : message,
    );
    const context = createContext(runInput({ history }));
    expect(context.turn).toBe(7);
    expect(context.messages).toEqual([...history, { role: 'user', content: 'task', context: [] }]);
  });

  it('is total: without an input, or with half of one, every limit is there', () => {
    expect(createContext(undefined)).toMatchObject({
      prompt: '',
      policies: {},
      limits: { turns: 25 },
    });
    const input = { ...runInput(), limits: { toolCalls: 1 } } as never;
    expect(createContext(input).limits).toMatchObject({ turns: 25, toolCalls: 1 });
  });
});
