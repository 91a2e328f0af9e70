import { toGraph, toMermaid } from '../../../machines/agent/agent.graph.ts';
import { agentMachine } from '../../../machines/agent/agent.machine.ts';
import type { Policies, Policy } from '../../../machines/permission/policies.ts';
import type { JsonObject, Locale } from '../../../machines/vocabulary/json.ts';
import type { ToolSpec } from '../../../machines/vocabulary/model.ts';
import { mergePolicies } from '../../run/options.ts';
import { apiKeyOf, buildAgentToShow } from '../build-agent.ts';
import { loadSettings, type Setting, type Settings, unflatten } from '../config.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type CommonFlags, parseLocale, parseWord, settingsFlags } from '../flags.ts';
import type { Io } from '../io.ts';
import { printable, printableJson } from '../printable.ts';
import { say } from '../texts.ts';

/** `agenthub tools`: the tools, what the model is told of them, and which policy covers each. */
export function toolsCommand(flags: CommonFlags & { json?: boolean }, io: Io): ExitCode {
  const settings = loadSettings({ ...io, flags: settingsFlags(flags), file: flags.config });
  const { locale = 'en' } = unflatten(settings);
  const { tools, policies } = buildAgentToShow(settings, io);
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
export function configCommand(flags: CommonFlags & { json?: boolean }, io: Io): ExitCode {
  const settings = loadSettings({ ...io, flags: settingsFlags(flags), file: flags.config });
  const { locale = 'en', model } = unflatten(settings);
  const key = apiKeyOf(model, io.env);
  const shown: Setting = {
    value: say(locale, key === null ? 'keyNotSet' : 'keySet'),
    source: key === null ? 'default' : 'environment',
    from: key?.variable ?? '',
  };
  const rows = [...withPolicies(settings), ['model.apiKey', shown] as const].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  if (flags.json) {
    io.stdout.write(`${printableJson(Object.fromEntries(rows), 2)}\n`);
    return EXIT.done;
  }
  for (const [name, setting] of rows) {
    const value = name === 'model.apiKey' ? shown.value : printableJson(setting.value);
    io.stdout.write(`${name} = ${value}  (${sayWhence(setting, locale)})\n`);
  }
  return EXIT.done;
}

/** The settings with one for each policy in effect: the shipped ones, and the host's over them. */
function withPolicies(settings: Settings): readonly (readonly [string, Setting])[] {
  const own = settings.get(POLICIES);
  const given = (own?.value ?? {}) as Policies;
  const policies = Object.entries(mergePolicies(given)).map(([tool, value]) => {
    const isOwn = own !== undefined && Object.hasOwn(given, tool);
    const whence = isOwn ? own : ({ source: 'default', from: '' } as const);
    return [`${POLICIES}.${tool}`, { ...whence, value }] as const;
  });
  return [...[...settings].filter(([name]) => name !== POLICIES), ...policies];
}

function sayWhence({ source, from }: Setting, locale: Locale): string {
  return say(locale, `${source}Source`, { from });
}
