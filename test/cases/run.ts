import type { CaseFailure, CaseKind, CaseReport } from './case-kind.ts';

/** The kinds of cases; each has a module of its name in `kinds/`. */
const KINDS = [
  'react-text',
  'tool-arguments',
  'markdown-sections',
  'knowledge-search',
  'knowledge-ranking',
  'images',
  'paths',
  'urls',
  'todos',
] as const;

const USAGE = `usage: npm run --silent cases -- <kind> <file>…
  kind: ${KINDS.join(', ')}
  file: a JSON file of rows of that kind`;

class UsageError extends Error {}

process.exitCode = await main(process.argv.slice(2));

/** Judges the files; answers the exit code: 0 all passed, 1 some failed, 2 not run. */
async function main([kind, ...files]: readonly string[]): Promise<number> {
  try {
    if (kind === undefined || files.length === 0) throw new UsageError(USAGE);
    const judged = await loadKind(kind);
    const reports: CaseReport[] = [];
    for (const file of files) reports.push(await runFile(judged, file));
    return printReports(reports);
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    console.error(thrown.message);
    return 2;
  }
}

async function loadKind(name: string): Promise<CaseKind> {
  if (!KINDS.some((kind) => kind === name)) {
    throw new UsageError(`unknown kind ${JSON.stringify(name)}\n${USAGE}`);
  }
  const exportName = name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const module = await import(`./kinds/${name}.ts`).catch((thrown: unknown) => {
    throw new UsageError(`the kind ${name} cannot be loaded: ${String(thrown)}`);
  });
  const kind: CaseKind | undefined = module[exportName];
  if (kind === undefined) throw new Error(`kinds/${name}.ts exports no ${exportName}`);
  return kind;
}

async function runFile(kind: CaseKind, file: string): Promise<CaseReport> {
  try {
    return await kind.run(file);
  } catch (thrown) {
    throw new UsageError(`cannot run ${file}: ${String(thrown)}\n${USAGE}`);
  }
}

function printReports(reports: readonly CaseReport[]): number {
  let passed = 0;
  let failed = 0;
  let skipped = 0;
  for (const report of reports) {
    for (const failure of report.failed) printFailure(failure);
    passed += report.passed;
    failed += report.failed.length;
    skipped += report.skipped;
  }
  for (const { note } of reports) if (note !== undefined) console.log(note);
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  return failed === 0 ? 0 : 1;
}

function printFailure({ id, expected, got }: CaseFailure): void {
  console.log(`${id}\n  expected ${shown(expected)}\n  got      ${shown(got)}`);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= 600 ? text : `${text.slice(0, 600)}… (${text.length} characters)`;
}
