import { describe, expect, it } from 'vitest';
import { agentMachine } from '../../machines/agent/agent.machine.ts';
import { type Chart, fields, nodesOf, problemsOf, transitionsOf } from './chart-problems.ts';

const chart = agentMachine as unknown as Chart;

/** The chart with one thing changed in its configuration. */
function altered(change: (config: Record<string, never>) => void): Chart {
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copy(member)]));
  };
  const config = copy(chart.config) as Record<string, never>;
  change(config);
  return { config, implementations: chart.implementations };
}

describe('the chart', () => {
  it('has the states of the design and no others', () => {
    expect(Object.keys(fields(chart.config.states))).toEqual([
      'submitPrompt',
      'callModel',
      'parseReply',
      'preToolHook',
      'awaitPermission',
      'execute',
      'postToolHook',
      'stopHook',
      'suspended',
      'done',
      'failed',
      'cancelled',
    ]);
    const finals = Object.entries(fields(chart.config.states)).filter(
      ([, state]) => fields(state).type === 'final',
    );
    expect(finals.map(([name]) => name)).toEqual(['done', 'failed', 'cancelled']);
  });

  it('is well formed: every name exists, every invoke has an id and onError, no after', () => {
    expect(problemsOf(chart)).toEqual([]);
  });

  it('can be cancelled from anywhere, and every state but the finals can be left', () => {
    expect(fields(chart.config.on)['run.cancel']).toMatchObject({ target: '.cancelled' });
    const stuck = nodesOf(chart.config).filter(
      (node) =>
        node.config.states === undefined &&
        node.config.type !== 'final' &&
        transitionsOf(node).length === 0,
    );
    expect(stuck.map(({ path }) => path.join('.'))).toEqual([]);
  });

  it('says in a line what each state is for', () => {
    for (const [name, state] of Object.entries(fields(chart.config.states)))
      expect(fields(state).description, name).toMatch(/^[A-Z].*\.$|^Something.*\.$/u);
  });
});

describe('the checks see', () => {
  const broken = (change: (states: any, config: any) => void) =>
    problemsOf(altered((config) => change(config.states, config)));

  it.each([
    [
      'a target that is not there',
      (s) => {
        s.parseReply.invoke.onDone[0].target = 'stopHok';
      },
      'target stopHok',
    ],
    [
      'a target of another machine',
      (s) => {
        s.submitPrompt.states.checking.always[1].target = '#other.callModel';
      },
      'target #other.callModel',
    ],
    [
      'an initial that is not there',
      (s) => {
        s.callModel.initial = 'work';
      },
      'initial work',
    ],
    [
      'a guard that is not there',
      (s) => {
        s.execute.always[0].guard = 'isUndecided';
      },
      'no isUndecided',
    ],
    [
      'an action that is not there',
      (s) => {
        s.execute.entry = 'startAll';
      },
      'no startAll',
    ],
    [
      'an actor that is not there',
      (s) => {
        s.parseReply.invoke.src = 'parse';
      },
      'no parse',
    ],
    [
      'a prototype name',
      (s) => {
        s.parseReply.invoke.src = 'constructor';
      },
      'no constructor',
    ],
    [
      'an inline guard',
      (s) => {
        s.execute.always[0].guard = () => true;
      },
      'inline',
    ],
    [
      'an invoke without an id',
      (s) => {
        delete s.parseReply.invoke.id;
      },
      'without an id',
    ],
    [
      'an id that is there twice',
      (s) => {
        s.parseReply.invoke.id = 'callModel';
      },
      'twice',
    ],
    [
      'a missing onError',
      (s) => {
        delete s.parseReply.invoke.onError;
      },
      'no onError',
    ],
    [
      'an after',
      (s) => {
        s.suspended.after = { 1000: 'callModel' };
      },
      'after',
    ],
    [
      'an always beside an invoke',
      (s) => {
        s.parseReply.always = { target: 'failed' };
      },
      'always beside invoke',
    ],
    [
      'a transition that is never reached',
      (s) => {
        s.execute.always.unshift({ target: 'done' });
      },
      'unreachable',
    ],
    [
      'a way out of a final state',
      (s) => {
        s.done.on = { 'run.resume': 'callModel' };
      },
      'leaves a final',
    ],
    [
      'a name that is never used',
      (s) => {
        delete s.execute.exit;
      },
      'stopTools is never used',
    ],
    [
      'missing maxIterations',
      (_, config) => {
        delete config.options;
      },
      'no maxIterations',
    ],
  ] as [string, (states: any, config: any) => void, string][])('%s', (_, change, problem) => {
    expect(broken(change).join('\n')).toContain(problem);
  });
});
