import type { Policies } from '../../machines/permission/policies.ts';
import { toErrorData } from '../../machines/vocabulary/errors.ts';
import type { Locale } from '../../machines/vocabulary/json.ts';
import { requireHook } from '../hooks/define-hook.ts';
import type { Hook } from '../hooks/index.ts';
import { checkValue } from '../run/option-problems.ts';
import { policiesSchema } from '../run/options.ts';
import { requireTool } from '../tools/define-tool.ts';
import type { Tool } from '../tools/tool.types.ts';
import type { Settings } from './config.ts';
import { loadModule } from './load-module.ts';
import { usageError } from './usage-error.ts';

/** The flag that names it, for complaints; the environment may name it too. */
export const EXTENSION_FLAG = '--extension';

/** What a module of the person's own brings, in the words of `createAgent`. */
export interface Extension {
  readonly file: string;
  readonly tools: readonly Tool[];
  readonly hooks: readonly Hook[];
  readonly policies: Policies;
  /** Whether the shipped tools and hooks are there too. */
  readonly shipped: boolean;
  /** Everything it exports. */
  readonly exports: Readonly<Record<string, unknown>>;
}

/** What is looked for among a module's exports. */
const NAMES = ['tools', 'hooks', 'policies', 'shipped'] as const;

type Values = Readonly<Record<string, string | number>>;

/**
 * The extension that is named, or null. Its code runs, so only the person at the command line may
 * name it: see `loadSettings`.
 * @throws AgentHubError `usage` naming the file, the export, the index and what is expected there.
 */
export async function loadExtension(settings: Settings): Promise<Extension | null> {
  const file = settings.get('extension')?.value;
  if (typeof file !== 'string') return null;
  const locale = settings.get('locale')?.value === 'zh' ? 'zh' : 'en';
  const exports = await loadModule(file, { flag: EXTENSION_FLAG });
  checkNames(exports, file);
  const { tools = [], hooks = [], policies = {}, shipped = true } = exports;
  if (typeof shipped !== 'boolean')
    throw usageError('extensionShipped', { file, found: kindOf(shipped) });
  return {
    file,
    exports,
    tools: checkList<Tool>(tools, { file, name: 'tools', require: requireTool }),
    hooks: checkList<Hook>(hooks, { file, name: 'hooks', require: requireHook }),
    policies: checkPolicies(policies, { file, locale }),
    shipped,
  };
}

/** A misspelled name must not be one that is left out: a hook would be missing. */
function checkNames(exports: Extension['exports'], file: string): void {
  const there = Object.keys(exports);
  const plain = (name: string) => name.toLowerCase().replace(/(?:y|ies|s)$/u, '');
  for (const name of NAMES) {
    if (there.includes(name)) continue;
    const meant = there.find((one) => plain(one) === plain(name));
    if (meant !== undefined) throw usageError('extensionName', { file, found: meant, name });
  }
  if (NAMES.some((name) => name !== 'shipped' && there.includes(name))) return;
  throw usageError('extensionEmpty', { file, found: there.join(', ') || '-' });
}

interface ListOptions<Part> {
  readonly file: string;
  readonly name: 'tools' | 'hooks';
  /** Throws for what is none. */
  readonly require: (part: Part) => void;
}

function checkList<Part extends { readonly name: string }>(
  list: unknown,
  { file, name, require }: ListOptions<Part>,
): readonly Part[] {
  const wanted = name === 'tools' ? 'defineTool({ … })' : 'defineHook({ … })';
  const values = { file, name, wanted };
  if (!Array.isArray(list)) throw usageError('extensionList', { ...values, found: kindOf(list) });
  const indexes = new Map<string, number>();
  for (const [index, part] of list.entries()) {
    const wrong = (why: string) => usageError('extensionPart', { ...values, index, why });
    if (typeof part !== 'object' || part === null) throw wrong(kindOf(part));
    try {
      require(part);
    } catch (thrown) {
      throw wrong(toErrorData(thrown, 'error').message);
    }
    const first = indexes.get(part.name);
    if (first !== undefined)
      throw usageError('extensionTwice', { ...values, index, first, called: part.name });
    indexes.set(part.name, index);
  }
  return list;
}

function checkPolicies(
  policies: unknown,
  { file, locale }: { readonly file: string; readonly locale: Locale },
): Policies {
  const checked = checkValue(policiesSchema, policies, locale);
  if (checked.ok) return checked.value;
  const problems = checked.problems.map(
    ({ path, text }) => `${['policies', path].filter(Boolean).join('.')}: ${text}`,
  );
  throw usageError('extensionPolicies', { file, problems: problems.join('\n') });
}

/**
 * The shipped tools, unless they are left out, and the extension's.
 * @throws AgentHubError `usage` for a name that both have, and for policies of tools nobody has.
 */
export function withOwnTools(
  shipped: readonly Tool[],
  extension: Extension | null,
): readonly Tool[] {
  if (extension === null) return shipped;
  const { file, policies } = extension;
  const kept = extension.shipped ? shipped : [];
  checkShippedNames(kept, extension, 'tools');
  const tools = [...kept, ...extension.tools];
  const known = tools.map(({ name }) => name);
  const strays = Object.keys(policies).filter((name) => !known.includes(name));
  const values: Values = { file, names: strays.join(', '), tools: known.join(', ') || '-' };
  if (strays.length > 0) throw usageError('extensionStrays', values);
  return tools;
}

/** The configured hooks and then the extension's. @throws AgentHubError `usage` for a name twice. */
export function withOwnHooks(
  configured: readonly Hook[],
  extension: Extension | null,
): readonly Hook[] {
  if (extension === null) return configured;
  checkShippedNames(configured, extension, 'hooks');
  return [...configured, ...extension.hooks];
}

function checkShippedNames(
  shipped: readonly { readonly name: string }[],
  extension: Extension,
  name: 'tools' | 'hooks',
): void {
  const names = shipped.map((one) => one.name);
  const index = extension[name].findIndex((one) => names.includes(one.name));
  const called = extension[name][index]?.name;
  if (called === undefined) return;
  throw usageError('extensionShippedName', { file: extension.file, name, index, called });
}

/** A value as it is named in a complaint. */
function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return '[ … ]';
  return typeof value === 'object' ? '{ … }' : String(value).slice(0, 60);
}
