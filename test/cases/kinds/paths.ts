import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { link, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createFileGuard, type FileGuard } from '../../../src/facts/file-guard.ts';
import type { FileOperation } from '../../../src/facts/verdict.ts';
import type { CaseKind } from '../case-kind.ts';
import { judgeBySides } from '../judged.ts';
import { type Row, readRows } from '../rows.ts';

/** Stands for the root of the tree in rows and fixture. */
const ROOT = /\$\{R\}/g;

interface PathRow extends Row {
  readonly input: unknown;
  readonly op: string;
  readonly expected: string;
}

/** The tree that the rows assume, as in `paths.fixture.json`. */
interface PathFixture {
  readonly directories: readonly string[];
  readonly files: readonly string[];
  readonly symlinks_in_allowed: Readonly<Record<string, string>>;
  readonly hard_links_in_allowed: Readonly<Record<string, string>>;
  readonly fifo_in_allowed: readonly string[];
}

/** Builds the tree in a new temporary folder and gives its real path. */
async function buildPathFixture(fixture: PathFixture): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'agenthub-paths-')));
  const allowed = join(root, 'data/allowed');
  for (const folder of fixture.directories) await mkdir(join(root, folder), { recursive: true });
  for (const file of fixture.files) await writeFile(join(root, file), file);
  for (const [name, target] of Object.entries(fixture.symlinks_in_allowed)) {
    await symlink(
      target.replace(ROOT, () => root),
      join(allowed, name),
    );
  }
  for (const [name, target] of Object.entries(fixture.hard_links_in_allowed)) {
    await link(join(root, target), join(allowed, name));
  }
  for (const name of fixture.fifo_in_allowed) execFileSync('mkfifo', [join(allowed, name)]);
  return root;
}

/** The guard that the rows assume. */
function createFixtureGuard(root: string): FileGuard {
  const allowed = join(root, 'data/allowed');
  return createFileGuard({
    workingFolder: allowed,
    allowed: [allowed],
    private: [join(allowed, 'private'), join(root, 'secret')],
  });
}

export const paths: CaseKind = {
  async run(file) {
    const rows = await readRows<PathRow>(file);
    const root = await buildPathFixture(await readFixture(file));
    const guard = createFixtureGuard(root);
    try {
      return await judgeBySides(rows, async ({ input, op, expected }) => {
        if (op !== 'read' && op !== 'write') return null;
        const path = typeof input === 'string' ? input.replace(ROOT, () => root) : input;
        const { verdict } = await guard.inspect(path, op as FileOperation);
        return { expected, got: verdict };
      });
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  },
};

/** The fixture stands beside the rows; a file of rows without one gets ours. */
async function readFixture(file: string): Promise<PathFixture> {
  const beside = join(dirname(file), 'paths.fixture.json');
  const ours = new URL('../paths.fixture.json', import.meta.url);
  return JSON.parse(await readFile(existsSync(beside) ? beside : ours, 'utf8')) as PathFixture;
}
