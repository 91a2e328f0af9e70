import { z } from 'zod';
import type { JsonObject } from '../machines/vocabulary/json.ts';
import { DEFAULTS } from '../src/cli/config.ts';
import { ENVIRONMENT } from '../src/cli/config-layers.ts';
import { configSchema } from '../src/cli/config-schema.ts';
import { settingsFlags } from '../src/cli/flags.ts';
import { table } from './table.ts';

/** Defaults that depend on where a command runs, in words. */
const DEPENDING: Readonly<Record<string, string>> = {
  locale: '`zh` where the environment is Chinese, else `en`',
  store: '`.agenthub/runs.db` in the working folder',
  knowledge: '`knowledge` in the working folder, else that of the package',
  'files.allowed': 'the working folder',
  'imageService.timeout': '`30000`',
  'permissions.policies': 'the [shipped ones](guide.md#the-shipped-policies)',
  'limits.approvalDeadline': '`null`; `600000` without a store',
};

/** The schema of the file as it is published, with the defaults that are the same everywhere. */
export function configJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(configSchema, { io: 'input' }) as JsonObject;
  return { title: 'agenthub.config.json', ...withDefaults(schema, '') };
}

function withDefaults(schema: JsonObject, path: string): JsonObject {
  const own = path in DEFAULTS && !(path in DEPENDING) ? { default: DEFAULTS[path] } : {};
  const { properties, ...rest } = schema as { properties?: Record<string, JsonObject> };
  if (properties === undefined) return { ...rest, ...own } as JsonObject;
  const members = Object.entries(properties).map(([name, member]) => {
    return [name, withDefaults(member, path === '' ? name : `${path}.${name}`)] as const;
  });
  const { type, ...others } = rest as JsonObject;
  return { ...(type && { type }), properties: Object.fromEntries(members), ...others };
}

/** Every setting: key, type, default, variable, flag, meaning. */
export function configurationTable(): string {
  const flags = settingsFlags({});
  const variables = Object.entries(ENVIRONMENT);
  const rows = leavesOf(z.toJSONSchema(configSchema, { io: 'input' }) as JsonObject, '').map(
    ([key, schema]) => [
      `\`${key}\``,
      typeOf(key, schema),
      defaultOf(key),
      code(variables.find(([, setting]) => setting === key)?.[0]),
      key === 'store' ? '`--store`, `--no-store`' : code(flags[key]?.flag),
      String(schema.description ?? ''),
    ],
  );
  return table(['key', 'type', 'default', 'variable', 'flag', 'meaning'], rows);
}

/** The settings that have a value of their own, by dotted path. */
function leavesOf(schema: JsonObject, path: string): readonly (readonly [string, JsonObject])[] {
  const properties = schema.properties as Readonly<Record<string, JsonObject>> | undefined;
  if (properties === undefined) return [[path, schema]];
  return Object.entries(properties)
    .filter(([name]) => name !== '$schema')
    .flatMap(([name, member]) => leavesOf(member, path === '' ? name : `${path}.${name}`));
}

function typeOf(key: string, schema: JsonObject): string {
  if (key === 'permissions.policies') return '[policies](guide.md#policies) by tool name';
  const branches = (schema.anyOf ?? [schema]) as readonly JsonObject[];
  const words = [...new Set(branches.map(wordOf))].join(' or ');
  return words.replace('whole number from 1 or `0`', 'whole number from 0');
}

function wordOf(schema: JsonObject): string {
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.type === 'null') return '`null`';
  if ('const' in schema) return `\`${schema.const}\``;
  if (schema.type === 'array') return `list of ${wordOf(schema.items as JsonObject)}`;
  if (schema.type === 'integer') return `whole number ${rangeOf(schema)}`;
  return schema.format === 'uri'
    ? 'http(s) address'
    : ({ string: 'text' }[`${schema.type}`] ?? `${schema.type}`);
}

function rangeOf({ minimum, exclusiveMinimum, maximum }: JsonObject): string {
  const least = exclusiveMinimum === 0 ? 1 : minimum;
  // The longest timer is a bound that nobody meets.
  return Number(maximum) > 1_000_000 ? `from ${least}` : `${least} to ${maximum}`;
}

function defaultOf(key: string): string {
  const words = DEPENDING[key];
  if (words !== undefined) return words;
  return key in DEFAULTS ? `\`${JSON.stringify(DEFAULTS[key])}\`` : 'none';
}

function code(text: string | undefined): string {
  return text === undefined ? '' : `\`${text}\``;
}
