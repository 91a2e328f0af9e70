import type { Consideration } from '../../machines/permission/evaluate.ts';
import type { Json, JsonObject, Locale } from '../../machines/vocabulary/json.ts';
import { printableLine } from '../../machines/vocabulary/printable.ts';
import type { Explanation, WhyEntry } from '../run/history/why.types.ts';
import { timeOf } from './stored-lines.ts';
import { say, sayApprovals, sayBy, sayOutcome, sayStands } from './texts.ts';

/** Why a call came out as it did: everything considered, in order, each with its source. */
export function whyLines(why: Explanation, locale: Locale): string[] {
  const { callId, tool, stands, decider, wouldChange, entries } = why;
  return [
    printableLine(`${callId} ${tool} · ${sayStands(locale, stands)}`),
    ...entries.flatMap((entry) => entryLines(entry, locale)),
    printableLine(`${say(locale, 'decidedBy')}${say(locale, 'colon')}${decider[locale]}`),
    `${say(locale, 'wouldChange')}${say(locale, 'colon')}`.trimEnd(),
    ...wouldChange.map((change) => `  - ${printableLine(change[locale])}`),
  ];
}

function entryLines(entry: WhyEntry, locale: Locale): string[] {
  const head = (text: string) => printableLine(`#${entry.seq} ${timeOf(entry.at)} ${text}`);
  const under = (text: string) => `    ${printableLine(text)}`;
  switch (entry.kind) {
    case 'asked_for':
      return [
        head(say(locale, 'asksFor', { tool: entry.tool })),
        under(JSON.stringify(entry.input)),
      ];
    case 'hook': {
      const { hooks, verdict, reasons, newInput } = entry;
      return [
        head(say(locale, 'hooksSay', { hooks: hooks.join(', '), verdict })),
        ...reasons.map(({ source, text }) => under(`- ${source}: ${text}`)),
        ...(newInput === null ? [] : [under(say(locale, 'newInput') + JSON.stringify(newInput))]),
      ];
    }
    case 'decision':
      return [
        head(say(locale, 'decides', { action: entry.action })),
        under(`${say(locale, 'facts')} ${JSON.stringify(plainFacts(entry.facts))}`),
        ...entry.considered.map((one) => under(consideration(one, locale))),
        ...entry.grants.map(({ by, approvals, stands }) => {
          const name = { holds: 'grantHolds', changed: 'grantChanged', expired: 'grantExpired' };
          const how = say(locale, name[stands] as 'grantHolds');
          const values = {
            by: sayBy(locale, by),
            approvals: sayApprovals(locale, approvals),
            stands: how,
          };
          return under(say(locale, 'grantConsidered', values));
        }),
      ];
    case 'answer':
      return [head(answerText(entry, locale))];
    case 'started':
      return [head(say(locale, 'starts', { attempt: entry.attempt }))];
    case 'lost':
      return [head(say(locale, 'lost', { attempt: entry.attempt }))];
    case 'settled':
      return [
        head(say(locale, 'settles', { outcome: sayOutcome(locale, entry.outcome) })),
        ...entry.reasons.map((reason) => under(`- ${reason.source}: ${reason[locale]}`)),
      ];
  }
}

/** Facts without what only tells whether they have changed. */
function plainFacts(facts: Json): Json {
  const { identity: _, toolName: __, ...plain } = (facts ?? {}) as JsonObject;
  return plain;
}

/** `[x]` matched, `[ ]` did not; then the rule, what it would mean, and its words. */
function consideration(one: Consideration, locale: Locale): string {
  const { rule, matched, lifted, action, reason } = one;
  const means = [action, reason?.approval].filter(Boolean).join(' ');
  const words = reason === null ? '' : `: ${reason[locale]}`;
  return `[${matched ? 'x' : ' '}] ${rule} · ${means}${words}${lifted ? say(locale, 'lifted') : ''}`;
}

function answerText(
  { answer, by, approvals, reason, expiresAt }: Extract<WhyEntry, { kind: 'answer' }>,
  locale: Locale,
): string {
  const who = sayBy(locale, by ?? '?');
  if (answer === 'expired') return say(locale, 'expiredAnswer');
  if (answer === 'cancelled') return say(locale, 'cancelledBy', { by: who });
  if (answer === 'denied')
    return [say(locale, 'deniedBy', { by: who }), reason].filter(Boolean).join(': ');
  const given = say(locale, 'granted', { by: who, approvals: sayApprovals(locale, approvals) });
  const until = expiresAt === null ? '' : say(locale, 'until', { time: timeOf(expiresAt) });
  return [given, until].filter(Boolean).join(' · ');
}
