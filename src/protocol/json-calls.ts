import type { Json, JsonObject } from '../../machines/vocabulary/json.ts';
import { readJson, skipJsonSpace } from './json-reader.ts';

/** A call as a model wrote it in JSON: the arguments are an object, or text. */
export interface JsonCall {
  readonly tool: string;
  readonly input: Json;
}

const NAMES = ['name', 'tool', 'tool_name', 'function', 'function_name', 'action'];
const INPUTS = ['arguments', 'parameters', 'args', 'input', 'action_input', 'tool_input'];
/** What else may stand in a call. A description, say, makes it the definition of a tool. */
const BESIDE = ['id', 'type', 'call_id', 'tool_call_id', 'thought', 'index'];
const SEPARATORS = new Set(',;');
/** Tags and control tokens that stand around the JSON of a call. */
const AROUND =
  /<\/?(?:[a-z]+:)?(?:tool_calls?|function_calls?|tool_use)>|<[|｜][^<>|｜\n]{1,60}[|｜]>|\[\/?TOOL_CALLS?\]/iuy;

/**
 * The calls that a text makes which is nothing but JSON, tags around it aside; null when one of its
 * values is something else.
 */
export function readJsonCalls(text: string): readonly JsonCall[] | null {
  const calls: JsonCall[] = [];
  let at = skipAround(text, 0);
  while (at < text.length) {
    const { status, value, end } = readJson(text, at);
    const found = status === 'complete' ? callsOf(value) : null;
    if (found === null) return null;
    calls.push(...found);
    at = skipAround(text, end);
  }
  return calls.length === 0 ? null : calls;
}

function skipAround(text: string, from: number): number {
  let at = skipJsonSpace(text, from);
  for (;;) {
    AROUND.lastIndex = at;
    if (SEPARATORS.has(text[at] ?? '')) at = skipJsonSpace(text, at + 1);
    else if (AROUND.test(text)) at = skipJsonSpace(text, AROUND.lastIndex);
    else return at;
  }
}

function callsOf(json: Json): readonly JsonCall[] | null {
  if (typeof json !== 'object' || json === null) return null;
  if (Array.isArray(json)) {
    const each = json.map((one) => callsOf(one));
    return each.length > 0 && !each.includes(null) ? each.flatMap((calls) => calls ?? []) : null;
  }
  const { tool_calls: list, function: inner, ...rest } = json as JsonObject;
  if (Array.isArray(list)) return callsOf(list);
  const isWrapped =
    typeof inner === 'object' && Object.keys(rest).every((key) => BESIDE.includes(key));
  if (isWrapped && inner !== undefined) return callsOf(inner);
  const call = callOf(json as JsonObject);
  return call === null ? null : [call];
}

function callOf(json: JsonObject): JsonCall | null {
  const keys = Object.keys(json).filter((key) => !BESIDE.includes(key));
  const name = keys.find((key) => NAMES.includes(key));
  const input = keys.find((key) => INPUTS.includes(key));
  if (keys.length !== 2 || name === undefined || input === undefined) return null;
  const tool = json[name];
  const given = json[input];
  const isInput = typeof given === 'string' || (typeof given === 'object' && !Array.isArray(given));
  if (typeof tool !== 'string' || !isInput || isSchema(given)) return null;
  return { tool, input: given };
}

/** Tools are described by the same names: what their `parameters` hold then is a schema. */
function isSchema(json: Json): boolean {
  const { type, properties } = (json ?? {}) as Readonly<Record<string, Json>>;
  return type === 'object' && typeof properties === 'object';
}
