import { describe, expect, it } from 'vitest';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import { defineHook } from '../../src/hooks/define-hook.ts';
import { foldRun } from '../../src/inspector/server/fold-run.ts';
import { filesOf } from '../../src/inspector/server/pictures.ts';
import { toDetail, toRunState } from '../../src/inspector/server/run-state.ts';
import { exportLog } from '../../src/run/history/transfer.ts';
import { openRuns } from '../../src/run/runs.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import type { LogRecord, RunStore } from '../../src/run/store/store.types.ts';
import { randomFrom } from '../random.ts';
import { answer, asks, callNote, storedRun } from './support.ts';

const JUNK = [
  ...[null, 5, -1, 1e308, 'x', '', '__proto__', true],
  ...[[], {}, [[null]], { type: 'xstate.init' }, { ok: true }, { facts: null }],
];

/** Replaces or leaves out one member of a value, somewhere. */
function mutated(value: unknown, random: () => number, depth = 0): unknown {
  const among = <One>(list: readonly One[]) => list[Math.floor(random() * list.length)] as One;
  if (typeof value !== 'object' || value === null) return among(JUNK);
  const keys = Object.keys(value);
  if (keys.length === 0 || (depth > 0 && random() < 0.2)) return among(JUNK);
  const key = among(keys);
  const kept = Object.entries(value).filter(([name]) => name !== key || random() > 0.2);
  const members = kept.map(([name, member]) => [
    name,
    name === key ? mutated(member, random, depth + 1) : member,
  ]);
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
}

/** A run with everything in it that readers look at. */
async function richLog(): Promise<readonly LogRecord[]> {
  const hooks = [
    defineHook({
      name: 'looks',
      event: 'PreToolUse',
      matcher: '*',
      run: () => ({ decision: 'proceed' }),
    }),
    defineHook({
      name: 'adds',
      event: 'PostToolUse',
      matcher: '*',
      run: () => ({ context: 'looked' }),
    }),
  ];
  const steps = [
    callNote('a', 'b'),
    { text: 'no tool', calls: [{ name: 'none', arguments: {} }] },
    answer('ok'),
  ];
  const { store } = await storedRun(steps, { ...asks, hooks });
  const log = await store.read('run-1');
  const last = { kind: 'limits', seq: log.length, at: 9_000, limits: log[0] as never } as const;
  const [start] = log;
  return start?.kind === 'start' ? [...log, { ...last, limits: start.input.limits }] : log;
}

/** A store that holds a log as it is, whatever that is. */
function holding(log: readonly LogRecord[]): RunStore {
  const summary = {
    ...{ runId: 'run-1', createdAt: 1, updatedAt: 1, status: 'waiting' as const },
    ...{ prompt: '', records: log.length, drivenBy: null },
  };
  return {
    ...memoryStore(),
    read: async () => log,
    summary: async () => summary,
    list: async () => [summary],
    pending: async () => [],
  };
}

/** Everything of ours that reads a log. */
const READERS: Readonly<Record<string, (log: readonly LogRecord[]) => Promise<unknown>>> = {
  show: (log) => openRuns(holding(log)).show('run-1'),
  why: (log) => openRuns(holding(log)).why('run-1', '1.0'),
  'why of a call of no tool': (log) => openRuns(holding(log)).why('run-1', '2.0'),
  replay: (log) => openRuns(holding(log)).replay('run-1'),
  export: (log) => exportLog(log),
  fork: (log) => openRuns(holding(log)).fork('run-1', { at: log.length - 1 }),
  'fork under other policies': (log) =>
    openRuns(holding(log)).fork('run-1', { at: 2, policies: { note: 'allow' } }),
  approve: (log) =>
    openRuns(holding(log)).approve('run-1', { callId: '1.0', shown: '{}' }, { by: 'ada' }),
  'policy check': async (log) => {
    const checked = await openRuns(holding(log)).checkPolicies({ note: 'allow' });
    return checked.decisions;
  },
  inspector: async (log) => {
    const store = holding(log);
    const standing = { summary: await store.summary(''), pending: [], takesUp: true };
    const folded = foldRun();
    await folded.add(log);
    for (const [index, row] of folded.rows.entries()) {
      const pair = folded.at(index);
      if (pair === null) throw new Error(`no step ${index}`);
      toDetail(pair, row, standing);
      toRunState(pair.step, standing);
      filesOf(pair.step.context, '1.0');
    }
  },
};

const CODES = new Set([
  ...['log_corrupt', 'version_mismatch', 'call_unknown', 'fork_diverges', 'fork_under_way'],
  ...['invalid_options', 'run_unknown'],
]);

describe('a log that anybody may have written', () => {
  it.each(Object.entries(READERS))(
    'is told by every reader, or refused with a code: %s',
    async (_, read) => {
      const log = await richLog();
      await read(log);
      const random = randomFrom(7);
      const strange: unknown[] = [];
      for (let round = 0; round < 300; round += 1) {
        const at = Math.floor(random() * log.length);
        const record = { ...log[at] } as LogRecord & { event?: unknown; input?: unknown };
        const part =
          record.kind === 'event' ? 'event' : record.kind === 'start' ? 'input' : 'limits';
        const changed = {
          ...record,
          [part]: mutated(record[part as 'event'], random),
        } as LogRecord;
        // The form of a record itself is the store's to check.
        if (changed.kind === 'event' && typeof changed.event?.type !== 'string') continue;
        if (changed.kind === 'start' && typeof changed.input?.runId !== 'string') continue;
        const other = log.map((kept, index) => (index === at ? changed : kept));
        const thrown = await read(other).then(
          () => null,
          (error: unknown) => error,
        );
        const isOurs = thrown instanceof AgentHubError && CODES.has(thrown.code);
        if (thrown !== null && !isOurs) strange.push([at, JSON.stringify(changed), String(thrown)]);
      }
      expect(strange).toEqual([]);
    },
  );

  it('says which record it was that cannot be told', async () => {
    const log = await richLog();
    const limits = { kind: 'limits', seq: 1, at: 1, limits: { turns: 'x' } } as never;
    const broken = [log[0] as LogRecord, limits];
    for (const name of ['show', 'why', 'replay', 'fork', 'inspector'])
      await expect(READERS[name]?.(broken)).rejects.toMatchObject({
        code: 'log_corrupt',
        details: { seq: 1 },
      });
  });

  it('is told as the chart took it: facts that are none were no facts', async () => {
    const log = await richLog();
    const at = log.findIndex(
      (record) => record.kind === 'event' && record.event.type.endsWith('inspectFacts'),
    );
    const told = log[at] as Extract<LogRecord, { kind: 'event' }>;
    const other = log.map((record, index) =>
      index === at ? { ...told, event: { ...told.event, output: null } } : record,
    );
    const runs = openRuns(memoryStore());
    await runs.import(await exportLog(other));
    const [call] = (await runs.show('run-1')).calls;
    expect(call).toMatchObject({ callId: '1.0', stands: 'facts_unavailable', decisions: [] });
    expect((await runs.why('run-1', '1.0')).decidedBy).toBe('engine: facts_unavailable');
    expect((await runs.checkPolicies({ note: 'allow' })).unreadable).toEqual([]);
  });
});
