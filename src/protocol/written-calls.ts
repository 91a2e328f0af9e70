import type { Json, Locale } from '../../machines/vocabulary/json.ts';
import type { ToolSpec } from '../../machines/vocabulary/model.ts';
import type { ParsedCall } from '../../machines/vocabulary/step.ts';
import { callArguments, textArguments } from './call-arguments.ts';
import { closingFence, openingFence, unwrapFence } from './fences.ts';
import { type JsonCall, readJsonCalls } from './json-calls.ts';
import { afterLineBreak, lineEndOf, skipBlanks, trimText } from './lines.ts';
import { matchLabel } from './react-text.labels.ts';
import { parseReactText } from './react-text.parse.ts';
import { stripThinking } from './think.ts';

/**
 * Tool calls that a reply writes into its text, in the syntax of some family of models. `calls` where
 * they can be read and every tool is offered; null for what has to be sent back. `before` is the text
 * ahead of them.
 */
export interface WrittenCalls {
  readonly before: string;
  readonly calls: readonly ParsedCall[] | null;
}

const NAMED = '(?:tool_calls?|function_calls?|tool_use|invoke|function|parameter)';
/** What opens a call: tags, control tokens, and words of chat templates. */
const OPENER = new RegExp(
  [
    `<(?:[a-z]+:)?(?:tool_calls?|function_calls?|tool_use)>`,
    `<(?:invoke|function)[ =]["'\\w][^<>\\n]{0,100}>`,
    `<[|｜][^<>|｜\\n]{0,30}(?:tool|function|action_start|start_action|python_tag|plugin)[^<>|｜\\n]{0,30}[|｜]>`,
    `\\[TOOL_CALLS?\\]`,
    `(?:<\\|[^<>|\\n]{1,20}\\|>|assistant|commentary|analysis|[ \\t])*to=(?:functions|tools)\\.[\\w.-]+(?:[ \\t]*(?:json|code))?`,
    `<[|｜]DSML[|｜](?:tool_calls?|function_calls?|invoke)\\b[^<>\\n]{0,100}>`,
  ].join('|'),
  'iuy',
);
/** What closes one. */
const CLOSER = new RegExp(`</(?:[a-z]+:|[|｜]DSML[|｜])?${NAMED}>|[|｜]>`, 'giu');
/** What a call goes on with behind what opens it, and prose does not. */
const CALL_BODY = /^\s*(?:[{[<]|[\w.:-]+\s*(?:[({[<]|$))/u;
const CALL_END = /(?:<\/[^<>\s]+>|[|｜]>|[}\])])$/u;
/** Calls as Python writes them, and nothing behind them. */
const PYTHON_VALUES = '\\((?:[^()"\']|"[^"]*"|\'[^\']*\'|\\([^()]*\\))*\\)';
const PYTHON_CALL = new RegExp(
  `^(?:\\[\\s*)?(?:print\\()?(?:default_api\\.)?([\\w-]+)${PYTHON_VALUES}(?:,\\s*[\\w-]+${PYTHON_VALUES})*\\)?\\s*\\]?$`,
  'u',
);
/** The one-line form of the paper: `Action 1: Search[tea]`. */
const BRACKET_ACTION =
  /^[ \t>*#]*Action(?: \d+)?:[ \t*]*([\w -]+)\[[^\n]*\][ \t*.]*(?:\n\s*Observation[^\n]*)?$/imu;
const FINAL = /^finish$|^final[ _]answer$/iu;

/**
 * The calls that an answer is made of; null for an answer. What is quoted in a fence, mentioned in a
 * sentence or shown before more text is no call.
 */
export function findWrittenCalls(
  answer: string,
  tools: readonly ToolSpec[],
  locale: Locale,
): WrittenCalls | null {
  const text = trimText(answer);
  const offered = new Map(tools.map((tool) => [tool.name, tool]));
  if (offered.size === 0 || text === '') return null;
  return (
    findJson(text, offered, locale) ??
    findMarkup(text, offered, locale) ??
    findLabels(text, offered, locale)
  );
}

/**
 * What a reply says beside the calls that it wrote as JSON and that were read; null when it wrote
 * none. `names` are the tools that were called. Steps with labels stay as they are: they read well.
 */
export function textBeside(reply: string, names: readonly string[]): string | null {
  const about = { description: '', inputSchema: {}, textField: null, oncePerReply: false };
  const tools = names.map((name) => ({ name, ...about }));
  const text = stripThinking(reply).text;
  const offered = new Map(tools.map((tool) => [tool.name, tool]));
  const written = findJson(text, offered, 'en') ?? findMarkup(text, offered, 'en');
  return written?.calls ? written.before : null;
}

type Offered = ReadonlyMap<string, ToolSpec>;

const SENT_BACK: WrittenCalls = { before: '', calls: null };

/** A reply of nothing but JSON, or of one fence, that names an offered tool and its arguments. */
function findJson(text: string, offered: Offered, locale: Locale): WrittenCalls | null {
  const inner = text.startsWith('`') || text.startsWith('~') ? unwrapFence(text) : null;
  const body = trimText(inner ?? text);
  const python = PYTHON_CALL.exec(body)?.[1];
  if (python !== undefined && offered.has(python)) return SENT_BACK;
  if (!/^[{[]/u.test(body)) return null;
  const calls = readJsonCalls(body);
  if (calls === null) return null;
  if (inner !== null && calls.some(isChatAction(body))) return SENT_BACK;
  if (!calls.every(({ tool }) => offered.has(tool))) return null;
  // In a fence it may be an example: the model is asked.
  return inner === null ? { before: '', calls: toCalls(calls, offered, locale) } : SENT_BACK;
}

/** The form of LangChain's chat agents, which is nothing else. */
function isChatAction(body: string): (call: JsonCall) => boolean {
  return ({ tool }) =>
    /"action"\s*:/u.test(body) && /"action_input"\s*:/u.test(body) && !FINAL.test(tool);
}

function findMarkup(text: string, offered: Offered, locale: Locale): WrittenCalls | null {
  const start = markupStart(text);
  if (start === null) return null;
  const body = text.slice(start);
  const names = [...offered.keys()];
  if (start > 0 && !(CALL_END.test(body) && names.some((name) => body.includes(name)))) return null;
  if (isGoingOn(body)) return null;
  const calls = readJsonCalls(body);
  const isKnown = calls?.every(({ tool }) => offered.has(tool)) ?? false;
  if (calls === null || !isKnown) return SENT_BACK;
  return { before: trimText(text.slice(0, start)), calls: toCalls(calls, offered, locale) };
}

/** Where the first line outside of fences begins that opens a call. */
function markupStart(text: string): number | null {
  for (const { start, isFenced } of linesOf(text)) {
    if (isFenced) continue;
    const at = skipBlanks(text, start);
    OPENER.lastIndex = at;
    const opener = OPENER.exec(text);
    if (opener !== null && CALL_BODY.test(text.slice(at + opener[0].length))) return at;
  }
  return null;
}

/** Whether a sentence goes on in the line where the last call closes. */
function isGoingOn(body: string): boolean {
  const last = [...body.matchAll(CLOSER)].at(-1);
  if (last === undefined) return false;
  const end = last.index + last[0].length;
  const rest = trimText(body.slice(end, lineEndOf(body, end)));
  return rest !== '' && !CALL_BODY.test(rest);
}

/** Steps with labels, as models write them that were taught to. */
function findLabels(text: string, offered: Offered, locale: Locale): WrittenCalls | null {
  const plain = trimText(outsideFences(text));
  const kinds = labelsOf(plain);
  const first = matchLabel(plain, 0)?.kind;
  const startsSo = first === 'thought' || first === 'action' || /^question:/iu.test(plain);
  const bracket = BRACKET_ACTION.exec(plain)?.[1]?.trim();
  if (bracket !== undefined && !FINAL.test(bracket) && (startsSo || offered.has(bracket)))
    return SENT_BACK;
  if (kinds.includes('action') && endsInChatAction(text)) return SENT_BACK;
  if (!kinds.includes('action') || !kinds.includes('input')) return null;
  const reading = parseReactText(text, new Set(offered.keys()), { isStopped: true });
  if (reading.kind === 'final') return null;
  if (reading.kind === 'error') return startsSo ? SENT_BACK : null;
  const spec = offered.get(reading.tool);
  if (spec === undefined || !startsSo) return startsSo || spec !== undefined ? SENT_BACK : null;
  const call = {
    tool: spec.name,
    providerId: null,
    arguments: textArguments(reading.input, spec, locale),
  };
  return { before: '', calls: [call] };
}

/** `Action:` and then JSON, fenced or not, with `action` and `action_input`, at the very end. */
function endsInChatAction(text: string): boolean {
  const found = /(?:^|\n)[ \t*#>]*action[ \t]*:\**[ \t]*\n?/giu;
  const last = [...text.matchAll(found)].at(-1);
  if (last === undefined) return false;
  const body = trimText(text.slice(last.index + last[0].length));
  const json = unwrapFence(body) ?? body;
  return readJsonCalls(json)?.some(isChatAction(json)) ?? false;
}

function labelsOf(plain: string): readonly string[] {
  return linesOf(plain).flatMap(({ start }) => {
    const label = matchLabel(plain, start);
    return label === null ? [] : [label.kind];
  });
}

function toCalls(
  calls: readonly JsonCall[],
  offered: Offered,
  locale: Locale,
): readonly ParsedCall[] {
  return calls.map(({ tool, input }) => ({
    tool,
    providerId: null,
    arguments: argumentsOf(input, offered.get(tool), locale),
  }));
}

function argumentsOf(
  input: Json,
  spec: ToolSpec | undefined,
  locale: Locale,
): ParsedCall['arguments'] {
  return typeof input === 'string'
    ? textArguments(input, spec, locale)
    : callArguments(input, locale);
}

function outsideFences(text: string): string {
  return linesOf(text)
    .map(({ start, end, isFenced }) => (isFenced ? '\n' : text.slice(start, end)))
    .join('');
}

interface Line {
  readonly start: number;
  /** Behind its line break. */
  readonly end: number;
  readonly isFenced: boolean;
}

function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  let fenceEnd = 0;
  for (let start = 0; start < text.length; ) {
    const lineEnd = lineEndOf(text, start);
    const end = afterLineBreak(text, lineEnd);
    const opening = start < fenceEnd ? null : openingFence(text, skipBlanks(text, start), lineEnd);
    if (opening !== null) fenceEnd = closingFence(text, opening)?.end ?? text.length;
    lines.push({ start, end, isFenced: start < fenceEnd });
    start = end;
  }
  return lines;
}
