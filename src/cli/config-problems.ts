import { z } from 'zod';
import type { JsonObject, Locale } from '../../machines/vocabulary/json.ts';
import { type ConfigFile, configSchema } from './config-schema.ts';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** One thing that is wrong in a configuration. */
export interface Problem {
  /** Dotted path of the value, such as `model.provider`; empty for the whole. */
  readonly path: string;
  /** What is wrong and what is allowed. */
  readonly text: string;
}

const TEXTS = {
  not: {
    zh: (value: string) => `不能是 ${value}`,
    en: (value: string) => `${value} is not allowed`,
  },
  allowed: { zh: (shape: string) => `允许：${shape}`, en: (shape: string) => `allowed: ${shape}` },
  and: { zh: '；', en: '; ' },
  unknown: { zh: '没有这个设置', en: 'there is no such setting' },
  missing: { zh: '缺少', en: 'is missing' },
} as const;

/** Checks a configuration, or a part of one; gives what it holds, or everything that is wrong. */
export function checkConfig(
  json: unknown,
  locale: Locale,
):
  | { readonly ok: true; readonly config: ConfigFile }
  | { readonly ok: false; readonly problems: readonly Problem[] } {
  const parsed = configSchema.safeParse(json);
  if (parsed.success) return { ok: true, config: parsed.data };
  const problems = parsed.error.issues
    .flatMap((issue) => unfold(issue, json))
    .flatMap((issue) => problemsOf(issue, json, locale));
  return { ok: false, problems };
}

/** A union's issue says nothing by itself: the branch that was meant does. */
function unfold(issue: Issue, json: unknown): Issue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const value = valueAt(json, issue.path);
  if (typeof value !== 'object' || value === null) return [issue];
  const isMeant = (branch: Issue[]) =>
    !branch.some(
      ({ path, code }) => path.length === 0 && ['invalid_type', 'invalid_value'].includes(code),
    );
  const branch = issue.errors.find((candidate) => isMeant(candidate));
  if (branch === undefined) return [issue];
  return branch
    .map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }))
    .flatMap((inner) => unfold(inner, json));
}

function problemsOf(issue: Issue, json: unknown, locale: Locale): Problem[] {
  const { path } = issue;
  const schema = schemaAt(jsonSchema(), path);
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys((schema?.properties ?? {}) as JsonObject).filter(
      (name) => name !== '$schema',
    );
    const allowed = TEXTS.allowed[locale](known.join(', '));
    return issue.keys.map((key) => ({
      path: dotted([...path, key]),
      text: `${TEXTS.unknown[locale]}${TEXTS.and[locale]}${allowed}`,
    }));
  }
  const shape = issue.code === 'custom' ? issue.message : describe(schema);
  const value = valueAt(json, path);
  const wrong =
    value === undefined ? TEXTS.missing[locale] : TEXTS.not[locale](shorten(JSON.stringify(value)));
  const allowed = TEXTS.allowed[locale](shape || issue.message);
  return [{ path: dotted(path), text: `${wrong}${TEXTS.and[locale]}${allowed}` }];
}

function dotted(path: Path): string {
  return path.map(String).join('.');
}

/** A value as it is shown: short, and without the credentials of an address. */
function shorten(json: string): string {
  const text = json.replace(/\/\/[^/@\s]*@/gu, '//…@');
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}

function valueAt(json: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key],
    json,
  );
}

function jsonSchema(): JsonObject {
  return z.toJSONSchema(configSchema, { io: 'input' }) as JsonObject;
}

/** The part of a JSON Schema that a path leads to, through the first branch that has it. */
function schemaAt(schema: JsonObject | undefined, [key, ...rest]: Path): JsonObject | undefined {
  if (schema === undefined || key === undefined) return schema;
  const branches = (schema.anyOf ?? [schema]) as readonly JsonObject[];
  for (const branch of branches) {
    const properties = (branch.properties ?? {}) as Record<string, JsonObject>;
    const next =
      typeof key === 'number'
        ? branch.items
        : (properties[String(key)] ?? branch.additionalProperties);
    if (typeof next !== 'object' || next === null) continue;
    const found = schemaAt(next as JsonObject, rest);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What a JSON Schema allows, in short. */
function describe(schema: JsonObject | undefined): string {
  if (schema === undefined) return '';
  const { type, minimum, maximum } = schema;
  if (Array.isArray(schema.enum))
    return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.anyOf)) return (schema.anyOf as JsonObject[]).map(describe).join(' | ');
  if (type === 'object') {
    const names = Object.keys((schema.properties ?? {}) as JsonObject);
    return names.length === 0 ? '{ … }' : `{ ${names.join(', ')} }`;
  }
  if (type === 'array') return `[ ${describe(schema.items as JsonObject)}, … ]`;
  if (type === 'integer' || type === 'number') {
    const isOpen = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER;
    const least = schema.exclusiveMinimum === 0 ? 1 : minimum;
    const range = isOpen ? `≥ ${String(least ?? 0)}` : `${String(least)}…${String(maximum)}`;
    return `${type} ${range}`;
  }
  if (schema.format === 'uri') return 'http(s)://…';
  if (type === 'string') return schema.minLength === 1 ? 'text, not empty' : 'text';
  return typeof type === 'string' ? type : '';
}
