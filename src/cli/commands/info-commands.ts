import { toGraph, toMermaid } from '../../../machines/agent/agent.graph.ts';
import { agentMachine } from '../../../machines/agent/agent.machine.ts';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import { buildAgent, keyVariable } from '../build-agent.ts';
import { loadSettings, unflatten } from '../config.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type CommonFlags, settingsFlags } from '../flags.ts';
import { type Io, printable } from '../io.ts';
import { say } from '../texts.ts';

/** `agenthub tools`: the tools, what the model is told of them, and which policy covers each. */
export function toolsCommand(flags: CommonFlags & { json?: boolean }, io: Io): ExitCode {
  const settings = loadSettings({ ...io, flags: settingsFlags(flags), file: flags.config });
  const { locale = 'en' } = unflatten(settings);
  const { tools, policies } = buildAgent(settings, io);
  const policyOf = (name: string) => (Object.hasOwn(policies, name) ? policies[name] : undefined);
  if (flags.json) {
    const rows = tools.map((tool) => ({ ...tool, policy: policyOf(tool.name) ?? null }));
    io.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
    return EXIT.done;
  }
  for (const { name, description } of tools) {
    const policy = policyOf(name);
    const rules = typeof policy === 'object' ? policy.rules : [];
    const word =
      policy === undefined ? say(locale, 'uncovered') : typeof policy === 'object' ? '' : policy;
    io.stdout.write(`${name}\n  ${printable(description).replace(/\n/gu, '\n  ')}\n`);
    io.stdout.write(`  ${say(locale, 'covered')}: ${word}\n`);
    for (const { action, reason } of rules) io.stdout.write(`    ${action}: ${reason[locale]}\n`);
  }
  return EXIT.done;
}

/** `agenthub graph`: the chart, as a Mermaid diagram or as JSON. */
export function graphCommand({ format = 'mermaid' }: { format?: string }, io: Io): ExitCode {
  const graph = toGraph(agentMachine);
  if (format === 'mermaid') io.stdout.write(toMermaid(graph));
  else if (format === 'json') io.stdout.write(`${JSON.stringify(graph, null, 2)}\n`);
  else throw new AgentHubError('usage', `--format: "${format}" is not known; use mermaid or json.`);
  return EXIT.done;
}

/** `agenthub config`: every setting, its value, and where that comes from. Keys are never shown. */
export function configCommand(flags: CommonFlags & { json?: boolean }, io: Io): ExitCode {
  const settings = loadSettings({ ...io, flags: settingsFlags(flags), file: flags.config });
  const provider = String(settings.get('model.provider')?.value);
  const key = keyVariable(provider, io.env);
  const keyRow = {
    value: key === null ? 'not set' : 'set, not shown',
    source: key === null ? ('default' as const) : ('environment' as const),
    from: key?.name ?? 'default',
  };
  const rows = [...settings, ['model.apiKey', keyRow] as const].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  if (flags.json) {
    io.stdout.write(`${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`);
    return EXIT.done;
  }
  for (const [name, { value, source, from }] of rows) {
    const where = source === 'default' ? 'default' : `${source}: ${from}`;
    io.stdout.write(`${name} = ${printable(JSON.stringify(value))}  (${where})\n`);
  }
  return EXIT.done;
}
