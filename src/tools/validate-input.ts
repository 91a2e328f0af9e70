import { z } from 'zod';
import type { JsonObject, Locale } from '../../machines/vocabulary/json.ts';
import {
  describeNumberRange,
  describeRange,
  describeSchema,
  ownMember,
  type SchemaWording,
  schemaAt,
} from '../../machines/vocabulary/json-schema.ts';
import { toInputSchema } from './define-tool.ts';
import { readsInherited, withoutPrototypes, withPrototypes } from './inherited.ts';
import type { Tool } from './tool.types.ts';

/** What a schema says of an input. */
export type ValidatedInput<Input> =
  | { readonly ok: true; readonly value: Input }
  /** `message` tells the model what to mend: each path, what is wrong, what is allowed. */
  | { readonly ok: false; readonly message: string };

/** The most issues named in one message; a long list helps a model less than a short one. */
const MAX_ISSUES = 8;

/** A refinement's own text: `.refine(check, { params: { zh, en } })`. */
type CustomParams = Partial<Record<Locale, string>> | undefined;

/**
 * Checks a call's arguments against the tool's schema, which may look things up. Total: a schema
 * whose own code throws or rejects is a refused input too. `value` is what the schema made of it.
 */
export async function validateInput<Input>(
  tool: Tool<Input>,
  json: unknown,
  locale: Locale,
): Promise<ValidatedInput<Input>> {
  const language = locale === 'zh' ? z.locales.zhCN() : z.locales.en();
  let parsed: z.ZodSafeParseResult<Input>;
  const isBare = readsInherited(tool.input, () => toInputSchema(tool.input, locale));
  try {
    const given = isBare ? withoutPrototypes(json) : json;
    // Asynchronous always: what rejects in a synchronous parse has no handler, and ends the process.
    parsed = await tool.input.safeParseAsync(given, { error: language.localeError });
  } catch (error) {
    return { ok: false, message: TEXTS[locale].crashed(tool.name, String(error)) };
  }
  if (parsed.success) {
    const { data } = parsed;
    return { ok: true, value: isBare ? (withPrototypes(data) as Input) : data };
  }
  const schema = toInputSchema(tool.input, locale);
  const { issues } = parsed.error;
  const lines = issues
    .slice(0, MAX_ISSUES)
    .map((issue) => explain(issue, { json, schema, locale }));
  if (issues.length > MAX_ISSUES) lines.push(TEXTS[locale].more(issues.length - MAX_ISSUES));
  return { ok: false, message: [TEXTS[locale].intro(tool.name), ...lines].join('\n') };
}

function explain(
  issue: z.core.$ZodIssue,
  context: { readonly json: unknown; readonly schema: JsonObject; readonly locale: Locale },
): string {
  const { json, schema, locale } = context;
  const texts = TEXTS[locale];
  const path = showPath(issue.path) || texts.root;
  const custom = issue.code === 'custom' ? (issue.params as CustomParams) : undefined;
  const allowed = describeSchema(schemaAt(schema, issue.path) ?? undefined, WORDING);
  const hints = [allowed === '' ? '' : texts.allowed(allowed)];
  const given = valueAt(json, issue.path);
  if (given === undefined && issue.code === 'invalid_type') hints.push(texts.required);
  if (typeof given === 'string' && issue.code === 'invalid_type') hints.push(texts.asText);
  if (Array.isArray(given) && issue.path.length === 0) hints.push(texts.asList);
  const detail = hints.filter((hint) => hint !== '').join(texts.semicolon);
  const wrong = custom?.[locale] ?? issue.message;
  return `- ${path}${texts.colon}${wrong}${detail === '' ? '' : texts.bracket(detail)}`;
}

function showPath(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./u, '');
}

function valueAt(json: unknown, path: readonly PropertyKey[]): unknown {
  let value = json;
  for (const key of path) value = ownMember(value, key);
  return value;
}

/** Words for a model: close to the schema's own, and whole. */
const WORDING: SchemaWording = {
  any: 'any',
  boolean: 'boolean',
  text: ({ minLength, maxLength }) => `string ${describeRange(minLength, maxLength)}`.trim(),
  number: (schema, type) => `${type} ${describeNumberRange(schema, type)}`.trim(),
  list: (item, { minItems, maxItems }) =>
    `[${item}, …] ${describeRange(minItems, maxItems)}`.trim(),
  object: (members) =>
    `{ ${members.map(({ name, isRequired, shape }) => `"${name}"${isRequired ? '' : '?'}: ${shape}`).join(', ')} }`,
};

const TEXTS = {
  zh: {
    intro: (name: string) => `${name} 的参数不符合要求，没有执行。请改正后重新调用：`,
    crashed: (name: string, error: string) => `${name} 的参数无法检查：${error}`,
    more: (count: number) => `- 还有 ${count} 处问题`,
    root: '（整个参数）',
    colon: '：',
    semicolon: '；',
    bracket: (text: string) => `（${text}）`,
    allowed: (shape: string) => `允许：${shape}`,
    required: '必须给出',
    asText: '直接写值本身，不要写成装着它的字符串',
    asList: '最外层是一个对象，不是数组',
  },
  en: {
    intro: (name: string) =>
      `The arguments of ${name} are not valid, so it did not run. Correct them and call it again:`,
    crashed: (name: string, error: string) =>
      `The arguments of ${name} could not be checked: ${error}`,
    more: (count: number) => `- and ${count} more`,
    root: '(the whole input)',
    colon: ': ',
    semicolon: '; ',
    bracket: (text: string) => ` (${text})`,
    allowed: (shape: string) => `allowed: ${shape}`,
    required: 'it is required',
    asText: 'write the value itself, not a string that holds it',
    asList: 'the outermost value is one object, not an array',
  },
} as const;
