import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import type { Facts } from '../../machines/permission/evaluate.ts';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import { createDefaultTools } from '../../src/run/default-tools.ts';
import { plain } from '../tools/pictures.ts';
import { createToolContext, harmlessFacts } from '../tools/tool-context.ts';

/*
 * npm run test:races -- [attempts]: another process lets a folder and a link change places, as fast
 * as it can, while the shipped tools read, write and search what nobody approved. Nothing of a
 * private folder, or of one outside, may be touched. test/facts/swaps.test.ts tries every moment
 * one by one; this tries what nobody thought of.
 */

const ATTEMPTS = Number(process.argv[2] ?? 2000);
/** Milliseconds between two swaps. */
const PAUSES = [0, 0.2, 1];
const SWAPPER = fileURLToPath(new URL('swapper.mjs', import.meta.url));

interface Race {
  readonly name: string;
  /** The folder that changes places with a link to `target`; both below the root. */
  readonly folder: string;
  readonly target: string;
  readonly tool: string;
  readonly input: (attempt: number) => Readonly<Record<string, unknown>>;
  /** Whether an attempt touched what it must not. */
  readonly leaked: (root: string, attempt: number, content: string) => Promise<boolean>;
}

const scale = (input: string, output: string) => ({ input, output, width: 20 });

const RACES: readonly Race[] = ['secret', 'outside'].flatMap((closed): Race[] => [
  {
    name: `read ${closed}`,
    folder: 'work/pics/a',
    target: `${closed}/a`,
    tool: 'image_scaling',
    input: (attempt) => scale('pics/a/f.png', `out/${attempt}.png`),
    leaked: async (root, attempt) => {
      const { dominant } = await sharp(join(root, `work/out/${attempt}.png`)).stats();
      return dominant.r > dominant.g;
    },
  },
  {
    name: `write ${closed}`,
    folder: 'work/pics',
    target: closed,
    tool: 'image_scaling',
    input: (attempt) => scale('own.png', `pics/a/${attempt}.png`),
    leaked: async (root, attempt) => existsSync(join(root, closed, `a/${attempt}.png`)),
  },
  {
    name: `search ${closed}`,
    folder: 'work/knowledge/open',
    target: `${closed}/a`,
    tool: 'knowledge_search',
    input: () => ({ keywords: 'zebra' }),
    leaked: async (_root, _attempt, content) => content.includes('CLOSED'),
  },
]);

process.exitCode = (await main()) ? 0 : 1;

async function main(): Promise<boolean> {
  let leaks = 0;
  for (const race of RACES) for (const pause of PAUSES) leaks += await runRace(race, pause);
  console.log(`${leaks} leaks`);
  return leaks === 0;
}

async function runRace(race: Race, pause: number): Promise<number> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'agenthub-races-')));
  await buildTree(root);
  symlinkSync(join(root, race.target), join(root, 'link'));
  const work = join(root, 'work');
  const tools = createDefaultTools({
    workingFolder: work,
    knowledgeFolder: join(work, 'knowledge'),
    privateFolders: [join(root, 'secret')],
  });
  const tool = tools.find(({ name }) => name === race.tool);
  if (tool === undefined) throw new Error(race.tool);
  const swapper = spawn(process.execPath, [
    SWAPPER,
    join(root, race.folder),
    join(root, 'link'),
    `${pause}`,
  ]);
  await once(swapper.stdout, 'data');
  let leaks = 0;
  const seen: Record<string, number> = {};
  try {
    for (let attempt = 0; attempt < Math.ceil(ATTEMPTS / PAUSES.length); attempt += 1) {
      const { outcome, content } = await attemptOf(tool, race.input(attempt));
      seen[outcome] = (seen[outcome] ?? 0) + 1;
      const mayLeak = outcome === 'ok' || race.name.startsWith('write');
      if (mayLeak && (await race.leaked(root, attempt, content))) leaks += 1;
    }
  } finally {
    swapper.kill('SIGKILL');
    rmSync(root, { recursive: true, force: true });
  }
  console.log(`${race.name}, swapped every ${pause} ms: ${leaks} leaks ${JSON.stringify(seen)}`);
  return leaks;
}

/** As an engine in which nobody approves anything: facts, then the work, when nothing is asked. */
async function attemptOf(
  tool: ReturnType<typeof createDefaultTools>[number],
  input: Readonly<Record<string, unknown>>,
): Promise<{ readonly outcome: string; readonly content: string }> {
  const context = createToolContext({ locale: 'en' });
  try {
    const found = await tool.inspectFacts(input, context);
    const facts = { ...harmlessFacts(tool.name), ...found } as Facts;
    if (facts.touchesPrivate) return { outcome: 'private', content: '' };
    if (facts.outsideAllowedArea) return { outcome: 'asked', content: '' };
    const result = await tool.execute(input, { ...context, facts });
    return { outcome: 'ok', content: typeof result === 'string' ? result : result.content };
  } catch (error) {
    if (!(error instanceof AgentHubError)) throw error;
    return { outcome: error.code, content: '' };
  }
}

async function buildTree(root: string): Promise<void> {
  for (const folder of [
    'work/pics/a',
    'work/out',
    'work/knowledge/open',
    'secret/a',
    'outside/a',
  ]) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  await plain(40, 40, '#00ff00').png().toFile(join(root, 'work/pics/a/f.png'));
  await plain(40, 40, '#00ff00').png().toFile(join(root, 'work/own.png'));
  writeFileSync(join(root, 'work/knowledge/open/a.md'), '## Tea\n\nzebra\n');
  for (const closed of ['secret/a', 'outside/a']) {
    await plain(40, 40, '#ff0000')
      .png()
      .toFile(join(root, closed, 'f.png'));
    writeFileSync(join(root, closed, 'a.md'), '## Pay\n\nzebra CLOSED\n');
  }
}
