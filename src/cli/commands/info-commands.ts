import { toGraph, toMermaid } from '../../../machines/agent/agent.graph.ts';
import { agentMachine } from '../../../machines/agent/agent.machine.ts';
import type { Policies, Policy } from '../../../machines/permission/policies.ts';
import type { JsonObject, Locale } from '../../../machines/vocabulary/json.ts';
import type { ToolSpec } from '../../../machines/vocabulary/model.ts';
import { printable, printableJson, printableLine } from '../../../machines/vocabulary/printable.ts';
import { mergePolicies } from '../../run/options.ts';
import { apiKeyOf, buildAgentToShow, ownPolicies } from '../build-agent.ts';
import { configurationOf, heldBackOf, settingsToLook } from '../command-settings.ts';
import { type Setting, type Settings, unflatten } from '../config.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type Extension, loadExtension } from '../extension.ts';
import { type CommonFlags, parseLocale, parseWord } from '../flags.ts';
import type { Io } from '../io.ts';
import { say } from '../texts.ts';
import { sayHeld } from '../trust/held-lines.ts';

/** `agenthub tools`: the tools, what the model is told of them, and which policy covers each. */
export async function toolsCommand(
  flags: CommonFlags & { json?: boolean },
  io: Io,
): Promise<ExitCode> {
  const settings = settingsToLook(flags, io);
  const { locale = 'en' } = unflatten(settings);
  const { tools, policies } = await buildAgentToShow(settings, io);
  const policyOf = (name: string) => (Object.hasOwn(policies, name) ? policies[name] : undefined);
  if (flags.json) {
    const rows = tools.map((tool) => ({ ...tool, policy: policyOf(tool.name) ?? null }));
    io.stdout.write(`${printableJson(rows, 2)}\n`);
    return EXIT.done;
  }
  const texts = tools.map((tool) => toolText(tool, policyOf(tool.name), locale));
  io.stdout.write(`${printable(texts.join('\n\n'))}\n`);
  return EXIT.done;
}

function toolText(
  { name, description, inputSchema }: ToolSpec,
  policy: Policy | undefined,
  locale: Locale,
): string {
  const required = (inputSchema.required ?? []) as readonly string[];
  const inputs = Object.keys((inputSchema.properties ?? {}) as JsonObject).map((property) =>
    required.includes(property) ? property : `${property}?`,
  );
  const rules = typeof policy === 'object' ? policy.rules : [];
  const word = typeof policy === 'string' ? policy : policy ? '' : say(locale, 'uncovered');
  return [
    name,
    ...description.split('\n').map((line) => `  ${line}`),
    `  ${say(locale, 'input')}: ${inputs.join(', ')}`,
    `  ${say(locale, 'policy')}: ${word}`.trimEnd(),
    ...rules.map(({ action, approval, reason }) =>
      `    ${action} ${approval ?? ''}: ${reason[locale]}`.replace(' :', ':'),
    ),
  ].join('\n');
}

/** `agenthub graph`: the chart, as a Mermaid diagram or as JSON. */
export function graphCommand(
  { format = 'mermaid', locale }: { format?: string; locale?: string },
  io: Io,
): ExitCode {
  // The chart's own words are the same in every language; complaints are not.
  if (locale !== undefined) parseLocale(locale);
  const kind = parseWord('--format', format, ['mermaid', 'json']);
  const graph = toGraph(agentMachine);
  io.stdout.write(kind === 'mermaid' ? toMermaid(graph) : `${printableJson(graph, 2)}\n`);
  return EXIT.done;
}

const POLICIES = 'permissions.policies';

/** `agenthub config`: every setting, its value, and where that comes from. Keys are never shown. */
export async function configCommand(
  flags: CommonFlags & { json?: boolean },
  io: Io,
): Promise<ExitCode> {
  const configuration = configurationOf(flags, io);
  const { settings } = configuration;
  const { locale = 'en', model } = unflatten(settings);
  const key = apiKeyOf(model, io.env);
  const shown: Setting = {
    value: say(locale, key === null ? 'keyNotSet' : 'keySet'),
    source: key === null ? 'default' : 'environment',
    from: key?.variable ?? '',
  };
  const extension = await loadExtension(settings);
  const rows = [
    ...withPolicies(settings, extension),
    ...extensionRows(extension),
    ['model.apiKey', shown] as const,
  ].sort(([a], [b]) => (a < b ? -1 : 1));
  const held = heldBackOf(configuration);
  const file = configuration.found?.path ?? '';
  if (flags.json) {
    const heldBack = held.map((one) => [
      one.name,
      { value: one.value, source: 'file', from: file, would: sayHeld(one, locale) },
    ]);
    const told = { ...Object.fromEntries(rows), heldBack: Object.fromEntries(heldBack) };
    io.stdout.write(`${printableJson(told, 2)}\n`);
    return EXIT.done;
  }
  for (const [name, setting] of rows) {
    const value = name === 'model.apiKey' ? shown.value : printableJson(setting.value);
    io.stdout.write(`${name} = ${value}  (${sayWhence(setting, locale)})\n`);
  }
  if (held.length === 0) return EXIT.done;
  const lines = held.flatMap((one) => [
    `${printableLine(one.name)} = ${printableJson(one.value)}`,
    `  ${sayHeld(one, locale)}`,
  ]);
  const head = printable(say(locale, 'heldBackHead', { file }));
  io.stdout.write(`\n${[head, ...lines].join('\n')}\n`);
  return EXIT.done;
}

/** What the extension brings, by name. */
function extensionRows(extension: Extension | null): readonly (readonly [string, Setting])[] {
  if (extension === null) return [];
  const { file, tools, hooks, shipped } = extension;
  const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);
  const values = { tools: names(tools), hooks: names(hooks), shipped };
  return Object.entries(values).map(([name, value]) => [
    `extension.${name}`,
    { value, source: 'file', from: file },
  ]);
}

/**
 * The settings with one for each policy in effect: the shipped ones, the extension's over them, and
 * the configuration's over those.
 */
function withPolicies(
  settings: Settings,
  extension: Extension | null,
): readonly (readonly [string, Setting])[] {
  const own = settings.get(POLICIES);
  const given = (own?.value ?? {}) as Policies;
  const brought = extension?.policies ?? {};
  const whence = (tool: string): Omit<Setting, 'value'> => {
    if (own !== undefined && Object.hasOwn(given, tool)) return own;
    if (!Object.hasOwn(brought, tool)) return { source: 'default', from: '' };
    return { source: 'file', from: extension?.file ?? '' };
  };
  const policies = Object.entries(mergePolicies(ownPolicies(settings, extension))).map(
    ([tool, value]) => [`${POLICIES}.${tool}`, { ...whence(tool), value }] as const,
  );
  return [...[...settings].filter(([name]) => name !== POLICIES), ...policies];
}

function sayWhence({ source, from }: Setting, locale: Locale): string {
  return say(locale, `${source}Source`, { from });
}
