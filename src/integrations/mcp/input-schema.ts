import { z } from 'zod';
import { isJson, type JsonObject } from '../../../machines/vocabulary/json.ts';
import { printable } from '../../../machines/vocabulary/printable.ts';
import { checkableSchemas, MalformedSchema, MOST_PARTS } from './checkable-schema.ts';
import { explainFailure } from './failures.ts';
import { givenName, withOwnNames } from './own-names.ts';

/** How deep a server's schema may nest, and how long it may be: models read all of it. */
const DEEPEST = 64;
const MOST_BYTES = 100_000;

const REPORTED = { reportInput: true } as const;

/** A server's schema as an input, and what of it nobody checks here. */
export interface CheckedInput {
  readonly input: z.ZodType<JsonObject>;
  /** Why it is checked only that an input is an object; null where more is. */
  readonly unchecked: string | null;
}

/**
 * The input of a server's tool. A model is shown the server's own schema; an input passes
 * unchanged when nothing that can be checked here speaks against it.
 * @throws MalformedSchema for what is no schema of an object, nests too deep or is too long.
 */
export function toInput(schema: unknown): CheckedInput {
  const own = toReadable(schema);
  // Model endpoints want both, whatever else is said.
  const shown: JsonObject = { ...own, type: 'object', properties: own.properties ?? {} };
  const { checks, unchecked } = toChecks(shown, own);
  const check = z.check((payload) => {
    const given = withOwnNames(payload.value);
    for (const { error } of checks.map((one) => one.safeParse(given, REPORTED)))
      payload.issues.push(...(error?.issues ?? []).map(asGiven));
  });
  // Not `z.unknown().check(…)`: that has a parent, which zod would look for in what it is told here.
  const input = new z.ZodUnknown({ type: 'unknown', checks: [check] });
  input._zod.toJSONSchema = () => structuredClone(shown);
  return { input: input as unknown as z.ZodType<JsonObject>, unchecked };
}

/** An issue that zod words again, in the language of whoever parses, by the names that were given. */
function asGiven({ message, ...issue }: z.core.$ZodIssue): z.core.$ZodRawIssue {
  const raw = issue.code === 'custom' ? { ...issue, message } : issue;
  const path = issue.path.map(givenName);
  const keys = 'keys' in issue ? { keys: issue.keys.map(givenName) } : {};
  return { input: undefined, ...raw, ...keys, path };
}

function toChecks(shown: JsonObject, own: JsonObject) {
  const schemas = checkableSchemas(shown, own);
  const isObject = [z.looseObject({})];
  if (schemas === null)
    return { checks: isObject, unchecked: `its schema has more than ${MOST_PARTS} parts` };
  try {
    const checks = schemas.map((one) => z.fromJSONSchema(one as never));
    const needsObject = !schemas.some(({ type }) => type === 'object');
    return { checks: needsObject ? [...isObject, ...checks] : checks, unchecked: null };
  } catch (error) {
    return { checks: isObject, unchecked: explainFailure(error) };
  }
}

/** The schema of an object, with nothing in its descriptions that hides. */
function toReadable(schema: unknown): JsonObject {
  if (!isJson(schema, DEEPEST)) throw new MalformedSchema('it nests too deep');
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    throw new MalformedSchema('it is not an object');
  const text = JSON.stringify(schema, (key, value: unknown) =>
    (key === 'description' || key === 'title') && typeof value === 'string'
      ? printable(value)
      : value,
  );
  if (Buffer.byteLength(text) > MOST_BYTES)
    throw new MalformedSchema(`it is longer than ${MOST_BYTES} bytes`);
  const { $schema: _, ...own } = JSON.parse(text) as Record<string, never>;
  if (own.type !== undefined && own.type !== 'object')
    throw new MalformedSchema('it does not describe an object');
  return own;
}
