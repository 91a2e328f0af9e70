import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { type GraphState, toGraph, toMermaid } from '../machines/agent/agent.graph.ts';
import { agentMachine } from '../machines/agent/agent.machine.ts';
import { configSchema } from '../src/cli/config-schema.ts';

/**
 * Writes what is generated from the code: `npm run generate`. With `--check` it writes nothing and
 * exits with 1 when a file is not fresh.
 */
const graph = toGraph(agentMachine);
const mermaid = `\`\`\`mermaid\n${toMermaid(graph)}\`\`\``;

function stateLine({ id, description, invokes, parent }: GraphState): string {
  const actors = invokes.length > 0 ? ` Invokes \`${invokes.join('`, `')}\`.` : '';
  return parent === null
    ? `- **\`${id}\`**: ${description}${actors}`
    : `  - \`${id.split('.').at(-1)}\`${actors === '' ? '' : `:${actors}`}`;
}

const machineReadme = `# The agent machine

Generated from \`agent.machine.ts\` by \`npm run generate\`; do not edit.

${mermaid}

${graph.states.map(stateLine).join('\n')}

\`run.cancel\` leads to \`cancelled\` from every state. Tools run as actors \`tool.<callId>\`, one per
allowed call, spawned by \`execute\`.
`;

/** Puts content between the markers of a text that is otherwise written by hand. */
function between(text: string, name: string, content: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`The markers ${start} … ${end} are missing.`);
  return `${text.slice(0, from + start.length)}\n${content}\n${text.slice(to)}`;
}

const example = readFileSync('docs/examples/embed.ts', 'utf8').trimEnd();

function readme(path: string): string {
  const withChart = between(readFileSync(path, 'utf8'), 'chart', mermaid);
  return between(withChart, 'example', `\`\`\`ts\n${example}\n\`\`\``);
}

const schema = z.toJSONSchema(configSchema, { io: 'input' });
const files: Record<string, string> = {
  'machines/agent/README.md': machineReadme,
  'agenthub.schema.json': `${JSON.stringify({ title: 'agenthub.config.json', ...schema }, null, 2)}\n`,
  'README.md': readme('README.md'),
  'README.zh-CN.md': readme('README.zh-CN.md'),
};

const isCheck = process.argv.includes('--check');
const stale = Object.entries(files).filter(([path, content]) => read(path) !== content);
for (const [path, content] of stale) {
  if (isCheck) console.error(`${path} is not fresh: run npm run generate`);
  else {
    writeFileSync(path, content);
    console.log(`wrote ${path}`);
  }
}
if (isCheck && stale.length > 0) process.exitCode = 1;

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
