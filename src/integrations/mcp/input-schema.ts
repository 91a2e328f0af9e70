import { z } from 'zod';
import { isJson, type JsonObject } from '../../../machines/vocabulary/json.ts';
import { checkableSchemas, MalformedSchema } from './checkable-schema.ts';
import { plainText } from './plain-text.ts';

/** How deep a server's schema may nest, and how long it may be: models read all of it. */
const DEEPEST = 64;
const MOST_BYTES = 100_000;

const REPORTED = { reportInput: true } as const;

/**
 * The input of a server's tool. A model is shown the server's own schema; an input passes
 * unchanged when nothing that can be checked here speaks against it.
 * @throws MalformedSchema for what is no schema of an object, nests too deep or is too long.
 */
export function toInput(schema: unknown): z.ZodType<JsonObject> {
  const shown = toShown(schema);
  const checks = toChecks(shown);
  const check = z.check((payload) => {
    for (const { error } of checks.map((one) => one.safeParse(payload.value, REPORTED))) {
      for (const issue of error?.issues ?? []) {
        const { message, ...plain } = issue;
        // Without a message zod words it again, in the language of whoever parses.
        const raw = issue.code === 'custom' ? { ...plain, message } : plain;
        payload.issues.push({ input: undefined, ...raw } as z.core.$ZodRawIssue);
      }
    }
  });
  // Not `z.unknown().check(…)`: that has a parent, which zod would look for in what it is told here.
  const input = new z.ZodUnknown({ type: 'unknown', checks: [check] });
  input._zod.toJSONSchema = () => structuredClone(shown);
  return input as unknown as z.ZodType<JsonObject>;
}

function toChecks(shown: JsonObject): readonly z.ZodType[] {
  const schemas = checkableSchemas(shown);
  const isObject = schemas.some(({ type }) => type === 'object') ? [] : [z.looseObject({})];
  try {
    return [...isObject, ...schemas.map((one) => z.fromJSONSchema(one as never))];
  } catch {
    return [z.looseObject({})];
  }
}

/** The schema as it is shown: of an object, and with nothing in its descriptions that hides. */
function toShown(schema: unknown): JsonObject {
  if (!isJson(schema, DEEPEST)) throw new MalformedSchema('it nests too deep');
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    throw new MalformedSchema('it is not an object');
  const text = JSON.stringify(schema, (key, value: unknown) =>
    (key === 'description' || key === 'title') && typeof value === 'string'
      ? plainText(value)
      : value,
  );
  if (Buffer.byteLength(text) > MOST_BYTES)
    throw new MalformedSchema(`it is longer than ${MOST_BYTES} bytes`);
  const { $schema: _, ...shown } = JSON.parse(text) as Record<string, never>;
  if (shown.type !== undefined && shown.type !== 'object')
    throw new MalformedSchema('it does not describe an object');
  // Model endpoints want both, whatever else is said.
  return { ...shown, type: 'object', properties: shown.properties ?? {} };
}
