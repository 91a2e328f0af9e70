import { canonicalJson } from '../../../machines/vocabulary/json.ts';
import type { Property } from '../properties.ts';
import { callBefore, callsOf, firstProblem } from '../taken.ts';
import { inspected, missingOf } from './approvals.ts';

// Questions to a person, and the answers.

export const questions: Property = {
  id: 'questions',
  text: 'A person is asked exactly about the calls that lack an approval, and all of them at once.',
  violation: (taken) => {
    const { context } = taken.after;
    if (taken.event.type !== 'xstate.done.actor.inspectFacts') return null;
    const verdicts = callsOf(taken.before)
      .filter(({ stage }) => stage === 'live')
      .flatMap((call) => {
        const facts = inspected(taken, call.id);
        const missing = facts === null ? null : missingOf(call, facts, context);
        return missing === null ? [] : [{ id: call.id, missing }];
      });
    const lacking = verdicts.filter(({ missing }) => missing.length > 0).map(({ id }) => id);
    const asked = callsOf(taken.after).flatMap(({ id, stage }) => (stage === 'asked' ? [id] : []));
    if (lacking.join() !== asked.join()) return `asked about ${asked.join() || 'none'}`;
    if (asked.length > 0) return null;
    const running = callsOf(taken.after).flatMap(({ id, stage }) =>
      stage === 'running' ? [id] : [],
    );
    return running.length === verdicts.length ? null : 'an allowed call does not run';
  },
};

export const grants: Property = {
  id: 'grants',
  text: 'Only a person adds a grant, only to the call it names, and it is kept as it was given.',
  violation: (taken) =>
    firstProblem(
      callsOf(taken.after).map((call) => {
        const had = callBefore(taken, call.id)?.grants ?? [];
        if (call.grants.length <= had.length) return null;
        const { type, callId, approvals, shown, by, at, expiresAt } = taken.event;
        if (type !== 'permission.grant' || callId !== call.id) return `${call.id} has a new grant`;
        const wanted = [...had, { approvals, shown, by, at, expiresAt }];
        return canonicalJson(call.grants) === canonicalJson(wanted)
          ? null
          : `${call.id} has another grant than was given`;
      }),
    ),
};

export const answers: Property = {
  id: 'answers',
  text: 'An answer that fits an open question is taken.',
  violation: ({ before, event, after }) => {
    if (!/^permission\./u.test(event.type) || event.label.startsWith('stray')) return null;
    return after.context === before.context ? 'nothing changed' : null;
  },
};

export const stray: Property = {
  id: 'stray',
  text: 'An answer that nobody asked for, or that fits no more, changes nothing.',
  violation: ({ before, event, after }) => {
    if (!event.label.startsWith('stray')) return null;
    return after.context === before.context ? null : 'the run changed';
  },
};
