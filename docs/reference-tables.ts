import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { table } from './table.ts';

/** The interfaces whose members docs/reference.md shows, by the names of their markers. */
const SHOWN: Readonly<Record<string, readonly [name: string, file: string]>> = {
  'agent-options': ['AgentOptions', 'src/run/agent.types.ts'],
  'start-options': ['StartOptions', 'src/run/agent.types.ts'],
  agent: ['Agent', 'src/run/agent.types.ts'],
  run: ['Run', 'src/run/run.types.ts'],
  'approve-options': ['ApproveOptions', 'src/run/run.types.ts'],
  leavings: ['RunLeavings', 'src/run/run.types.ts'],
  question: ['Question', 'machines/agent/agent.view.ts'],
  limits: ['Limits', 'machines/agent/agent.types.ts'],
  'model-step': ['ModelStep', 'src/run/run.types.ts'],
  'hook-step': ['HookStep', 'src/run/run.types.ts'],
  'decision-step': ['DecisionStep', 'src/run/run.types.ts'],
  'person-step': ['PersonStep', 'src/run/run.types.ts'],
  'tool-step': ['ToolStep', 'src/run/run.types.ts'],
  'hook-definition': ['HookDefinition', 'src/hooks/define-hook.ts'],
  'observed-call': ['ObservedCall', 'machines/vocabulary/model.ts'],
  'openai-options': ['OpenAIModelOptions', 'src/model/openai-options.ts'],
  'default-tools': ['DefaultToolsOptions', 'src/run/default-tools.ts'],
  tool: ['Tool', 'src/tools/tool.types.ts'],
  'tool-context': ['ToolContext', 'src/tools/tool.types.ts'],
  runs: ['Runs', 'src/run/runs.types.ts'],
  'stored-run': ['StoredRun', 'src/run/runs.types.ts'],
  'inspector-handler': ['InspectorHandlerOptions', 'src/inspector/server/handler.ts'],
  'start-inspector': ['StartInspectorOptions', 'src/inspector/server/start-inspector.ts'],
  'inspector-started': ['Inspector', 'src/inspector/server/start-inspector.ts'],
  'stately-inspection': ['StatelyInspectionOptions', 'src/inspector/stately.ts'],
  'stately-relay': ['StatelyRelayOptions', 'src/inspector/stately-relay.ts'],
  'stately-relayed': ['StatelyRelay', 'src/inspector/stately-relay.ts'],
};

/** A table for each interface, read from its declaration and the comments on its members. */
export function referenceTables(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(SHOWN).map(([marker, [name, file]]) => {
      const { declaration, source } = findInterface(name, file);
      const rows = declaration.members.flatMap((member) => rowsOf(member, { source, prefix: '' }));
      return [marker, table(['name', 'type', 'meaning'], rows)];
    }),
  );
}

function findInterface(name: string, file: string) {
  const source = ts.createSourceFile(
    file,
    readFileSync(file, 'utf8'),
    ts.ScriptTarget.ES2023,
    true,
  );
  const declaration = source.statements.find(
    (node): node is ts.InterfaceDeclaration =>
      ts.isInterfaceDeclaration(node) && node.name.text === name,
  );
  if (declaration === undefined) throw new Error(`${file} has no interface ${name}.`);
  return { declaration, source };
}

interface Place {
  readonly source: ts.SourceFile;
  /** The members this one is within, with a dot at the end. */
  readonly prefix: string;
}

/** One row; a member that is an object has one for each of its own. */
function rowsOf(member: ts.TypeElement, { source, prefix }: Place): readonly string[][] {
  const optional = member.questionToken === undefined ? '' : '?';
  const name = `${prefix}${member.name?.getText(source) ?? ''}`;
  if (ts.isPropertySignature(member) && member.type && ts.isTypeLiteralNode(member.type)) {
    const within = { source, prefix: `${name}.` };
    return member.type.members.flatMap((inner) => rowsOf(inner, within));
  }
  const meaning = commentOf(member, source);
  return [[`\`${name}${optional}\``, `\`${signatureOf(member, source)}\``, meaning]];
}

/** A member's type, or a method's parameters and what it gives, on one line. */
function signatureOf(member: ts.TypeElement, source: ts.SourceFile): string {
  const text = member
    .getText(source)
    .replace(/\/\*\*[^]*?\*\//gu, '')
    .replace(/\breadonly /gu, '')
    .replace(/\s+/gu, ' ')
    .replace(/\( /gu, '(')
    .replace(/,? \)/gu, ')')
    .replace(/;? \}/gu, ' }')
    .replace(/;$/u, '')
    .trim();
  if (ts.isMethodSignature(member)) return text.slice(text.indexOf('('));
  return text.replace(/^[^:]*: (\| )?/u, '');
}

/** What a member's comment says, on one line. */
function commentOf(member: ts.TypeElement, source: ts.SourceFile): string {
  const [comment] = ts.getJSDocCommentsAndTags(member);
  return (comment?.getText(source) ?? '')
    .replace(/^\/\*\*|\*\/$/gu, '')
    .replace(/^\s*\* ?/gmu, '')
    .replace(/\{@link ([^}]*)\}/gu, '`$1`')
    .replace(/@throws AgentHubError/gu, 'Throws')
    .replace(/\s+/gu, ' ')
    .trim();
}
