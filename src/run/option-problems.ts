import { z } from 'zod';
import type { JsonObject, Locale, LocalizedText } from '../../machines/vocabulary/json.ts';
import {
  branchesOf,
  describeNumberRange,
  describeSchema,
  type SchemaWording,
  schemaAt,
} from '../../machines/vocabulary/json-schema.ts';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** One thing that is wrong in options or in a configuration. */
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

/** Words of this module's own for what schemas refine. */
const REFINED: Readonly<Record<string, string>> = {
  'an "ask" rule must name the approval that lifts it': '"ask" 规则必须写明由哪一种批准解除',
  'an http or https URL without a user name or password': '不含用户名和密码的 http 或 https 地址',
};

const SHAPES = {
  text: { zh: '文字', en: 'text' },
  filled: { zh: '不空的文字', en: 'text, not empty' },
  integer: { zh: '整数', en: 'integer' },
  number: { zh: '数', en: 'number' },
  boolean: { zh: 'true | false', en: 'boolean' },
} as const satisfies Record<string, LocalizedText>;

/** Parses a value by a schema; gives what it holds, or everything that is wrong with it. */
export function checkValue<Value>(
  schema: z.ZodType<Value>,
  value: unknown,
  locale: Locale,
):
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly Problem[] } {
  const parsed = schema.safeParse(value);
  if (parsed.success) return { ok: true, value: parsed.data };
  const shapes = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonObject;
  const problems = parsed.error.issues
    .flatMap((issue) => unfold(issue, value))
    .flatMap((issue) => problemsOf(issue, { value, shapes, locale }));
  return { ok: false, problems };
}

/**
 * A union's issue says nothing by itself: the branch that was meant does. Where none was, or more
 * than one may have been, the issue stays and all branches are named.
 */
function unfold(issue: Issue, json: unknown): Issue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const value = valueAt(json, issue.path);
  if (typeof value !== 'object' || value === null) return [issue];
  const possible = issue.errors.filter((branch) => !branch.some(isOtherKind));
  const [branch, another] =
    possible.length === 1 ? possible : possible.filter((one) => hasTheKeys(one, value));
  if (branch === undefined || another !== undefined) return [issue];
  return branch
    .map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }))
    .flatMap((inner) => unfold(inner, json));
}

/** Whether the whole value is of another kind than a branch takes. */
function isOtherKind({ path, code }: Issue): boolean {
  return path.length === 0 && ['invalid_type', 'invalid_value'].includes(code);
}

/** Whether a value has the keys of a branch and no other: only what they hold is wrong. */
function hasTheKeys(branch: readonly Issue[], value: unknown): boolean {
  return branch.every(
    ({ code, path }) => code !== 'unrecognized_keys' && valueAt(value, path) !== undefined,
  );
}

interface Checked {
  readonly value: unknown;
  /** The schema as a JSON Schema. */
  readonly shapes: JsonObject;
  readonly locale: Locale;
}

function problemsOf(issue: Issue, { value: whole, shapes, locale }: Checked): Problem[] {
  const { path } = issue;
  const schema = schemaAt(shapes, path);
  const allow = (shape: string) =>
    shape === '' ? '' : `${TEXTS.and[locale]}${TEXTS.allowed[locale](shape)}`;
  if (issue.code === 'unrecognized_keys') {
    const known = (schema === null ? [] : branchesOf(schema)).flatMap(({ properties = {} }) =>
      Object.keys(properties as JsonObject).filter((name) => name !== '$schema'),
    );
    const text = `${TEXTS.unknown[locale]}${allow([...new Set(known)].join(', '))}`;
    return issue.keys.map((key) => ({ path: dotted([...path, key]), text }));
  }
  const refined = locale === 'zh' ? REFINED[issue.message] : issue.message;
  const shape =
    issue.code === 'custom'
      ? (refined ?? issue.message)
      : describeSchema(schema ?? undefined, wordingFor(locale));
  const value = valueAt(whole, path);
  const shown = shorten(JSON.stringify(value) ?? String(value));
  const wrong = value === undefined ? TEXTS.missing[locale] : TEXTS.not[locale](shown);
  return [{ path: dotted(path), text: `${wrong}${allow(shape)}` }];
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

/** What a schema allows, in short words for people; of an object its names alone. */
function wordingFor(locale: Locale): SchemaWording {
  return {
    any: '',
    boolean: SHAPES.boolean[locale],
    text: ({ format, minLength }) =>
      format === 'uri' ? 'http(s)://…' : SHAPES[minLength === 1 ? 'filled' : 'text'][locale],
    number: (schema, type) => `${SHAPES[type][locale]} ${describeNumberRange(schema, type)}`.trim(),
    list: (item) => `[ ${item}, … ]`,
    object: (members) =>
      members.length === 0 ? '{ … }' : `{ ${members.map(({ name }) => name).join(', ')} }`,
  };
}
