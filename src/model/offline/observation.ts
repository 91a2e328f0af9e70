import type { Ending } from './transcript.types.ts';

/** What an observation says of its call. */
export interface ReadObservation {
  readonly ending: Ending;
  /** The result, or the reason why there is none; without what hooks added. */
  readonly content: string;
}

/** How the protocols begin an observation whose call did not end well. */
const OPENING =
  /^(?:这次调用|没有人在期限内批准|检查这次调用|无法查明这次调用|没有这个名字的工具|参数不合要求|参数(?:不是|是|里|嵌套|在)|The call\b|The outcome of the call|Nobody approved|A hook that checks|What the call would|There is no (?:tool|record)|The arguments (?:are|hold|were)\b)[^\n]*/u;
/** What a call would touch could not be looked up: mostly a file that is not there. */
const IMPOSSIBLE = /^(?:无法查明这次调用|What the call would)/u;
const LOOKED_UP =
  /^(?:无法查明这次调用会触及什么：|What the call would touch could not be looked up: )/u;
const UNSURE =
  /可能已经|结果不明|超时未完成|did not finish in time|may (?:or may not )?have taken effect|outcome is unknown/iu;
const FAILED = /但失败了|ran and failed/iu;
const REASONS = /^(?:原因：|Reasons: )(.*)$/u;
/** How the protocols mark what a hook put beside something. */
const NOTE = /^(?:\[Context from [^\n]*\]|［补充，来自 [^\n]*］)$/mu;

/** Reads an observation as the protocols write it. Text from tools decides nothing else here. */
export function readObservation(text: string): ReadObservation {
  const own = withoutNotes(text.replace(/^\s*(?:Observation|观察)\s*[:：][ \t]?/u, ''));
  const opening = OPENING.exec(own)?.[0];
  if (opening === undefined) return { ending: 'ok', content: own };
  const ending = endingOf(opening);
  const [first = '', ...others] = own.slice(opening.length).replace(/^\n/u, '').split('\n');
  const reasons = REASONS.exec(first)?.[1];
  const details = [(reasons ?? first).replace(LOOKED_UP, ''), ...others].join('\n').trim();
  return { ending, content: details === '' ? opening : details };
}

function endingOf(opening: string): Ending {
  if (IMPOSSIBLE.test(opening)) return 'impossible';
  if (UNSURE.test(opening)) return 'unsure';
  return FAILED.test(opening) ? 'failed' : 'refused';
}

/** A text up to what hooks put beside it; empty when it is only that. */
export function withoutNotes(text: string): string {
  const note = NOTE.exec(text);
  return note ? text.slice(0, note.index).trimEnd() : text;
}
