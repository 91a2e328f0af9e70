import { z } from 'zod';
import type { HookEvent } from '../../machines/agent/matcher.ts';
import type { Json } from '../../machines/vocabulary/json.ts';
import type { HookOutputs } from './hook.types.ts';

const DEEPEST = 100;

const reason = z.string().refine((text) => text.trim() !== '', 'must not be empty');
const context = z.string().optional();
const json = z.custom<Json>((value) => value !== undefined, 'must be JSON');

const SCHEMAS: { [Event in HookEvent]: z.ZodType<HookOutputs[Event]> } = {
  UserPromptSubmit: z.discriminatedUnion('decision', [
    z.strictObject({ decision: z.literal('proceed'), reason: reason.optional(), context }),
    z.strictObject({ decision: z.literal('block'), reason, context }),
  ]) as z.ZodType<HookOutputs['UserPromptSubmit']>,
  PreToolUse: z.discriminatedUnion('decision', [
    z.strictObject({
      decision: z.literal('proceed'),
      reason: reason.optional(),
      context,
      input: json.optional(),
    }),
    z.strictObject({
      decision: z.enum(['ask', 'block']),
      reason,
      context,
      input: json.optional(),
    }),
  ]) as z.ZodType<HookOutputs['PreToolUse']>,
  PostToolUse: z.strictObject({
    context,
    content: z.string().optional(),
  }) as z.ZodType<HookOutputs['PostToolUse']>,
  Stop: z.discriminatedUnion('decision', [
    z.strictObject({ decision: z.literal('allow'), reason: reason.optional() }),
    z.strictObject({ decision: z.literal('block'), reason }),
  ]) as z.ZodType<HookOutputs['Stop']>,
};

/** What a hook answered, checked and copied, or what was wrong with it. */
export type CheckedOutput<Event extends HookEvent> =
  | { readonly ok: true; readonly output: HookOutputs[Event] }
  | { readonly ok: false; readonly problem: string };

/**
 * Checks what a hook returned. Strict: a property that is not listed, a missing decision, a
 * missing reason where one is required, or anything that is not JSON is a problem, never
 * "no opinion". The output is a copy, so that the hook cannot change it afterwards. Total.
 */
export function checkOutput<Event extends HookEvent>(
  event: Event,
  returned: unknown,
): CheckedOutput<Event> {
  let copy: Json;
  try {
    copy = copyJson(returned, 'output', 0);
  } catch (thrown) {
    return { ok: false, problem: thrown instanceof Error ? thrown.message : String(thrown) };
  }
  const parsed = SCHEMAS[event].safeParse(copy);
  if (parsed.success) return { ok: true, output: parsed.data };
  const issue = parsed.error.issues[0];
  const where = issue?.path.length ? issue.path.join('.') : 'output';
  return { ok: false, problem: `${where}: ${issue?.message ?? 'invalid'}` };
}

/** A copy of a JSON value; members that are `undefined` are left out, as `JSON.stringify` does. */
function copyJson(value: unknown, where: string, depth: number): Json {
  if (depth > DEEPEST) throw new TypeError(`${where}: nested too deeply or cyclic`);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (Array.isArray(value)) {
    return Array.from(value, (item, index) => copyJson(item, `${where}.${index}`, depth + 1));
  }
  if (typeof value === 'object' && isPlain(value)) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return Object.fromEntries(
      members.map(([key, member]) => [key, copyJson(member, `${where}.${key}`, depth + 1)]),
    );
  }
  throw new TypeError(`${where}: ${describe(value)} is not JSON`);
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function describe(value: unknown): string {
  if (typeof value !== 'object' || value === null) return typeof value;
  return value instanceof Promise ? 'a promise' : 'an object with a class';
}
