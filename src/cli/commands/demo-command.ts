import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locale } from '../../../machines/vocabulary/json.ts';
import type { Agent } from '../../run/agent.types.ts';
import { loadSettings } from '../config.ts';
import { drive } from '../drive.ts';
import { EXIT, type ExitCode, isStopped } from '../exit-codes.ts';
import { parseLocale, settingsFlags } from '../flags.ts';
import { colorsOf, type Io } from '../io.ts';
import { packageFolder } from '../package-folder.ts';
import { writeOutcome } from '../report.ts';
import { withAgent } from '../store.ts';
import { say } from '../texts.ts';

const TASKS = {
  zh: [
    '七天无理由退货的运费由谁承担？',
    '把 photo.jpg 缩放到 320 宽，存成 small.webp',
    '把 photo.jpg 缩放到 200 宽，存成 small.webp',
    '先查一下发票怎么开，再把 photo.jpg 缩放到 160 宽，存成 thumb.png',
  ],
  en: [
    'Who pays the postage when I return something within seven days?',
    'Resize photo.jpg to 320 px wide and save it as small.webp',
    'Resize photo.jpg to 200 px wide and save it as small.webp',
    'First look up how to get an invoice, then resize photo.jpg to 160 px wide and save it as thumb.png',
  ],
} as const;

/** What must be there afterwards: the second write to `small.webp` is refused, so it stays as it was. */
const EXPECTED = [
  'photo.jpg: 640 × 400 jpeg',
  'small.webp: 320 × 200 webp',
  'thumb.png: 160 × 100 png',
].join('\n');

/**
 * `agenthub demo`: four tasks in a fresh folder (their runs are kept in it, and go with it), without
 * a key and without a network. The offline model answers; hooks, permission and tools are the real
 * ones, and nobody can be asked.
 */
export async function demoCommand(flags: { locale?: string }, io: Io): Promise<ExitCode> {
  const locale = parseLocale(flags.locale ?? 'zh');
  const folder = await mkdtemp(join(tmpdir(), 'agenthub-demo-'));
  try {
    await makePhoto(join(folder, 'photo.jpg'));
    const settings = loadSettings({
      cwd: folder,
      env: {},
      flags: settingsFlags({
        provider: 'offline',
        locale,
        knowledge: join(packageFolder(), 'knowledge'),
      }),
    });
    const exitCode = await withAgent({ settings, io: { env: {}, cwd: folder } }, (agent) =>
      doTasks(agent, io, locale),
    );
    if (exitCode !== EXIT.done) return exitCode;
    const colors = colorsOf(io);
    const found = await listing(folder);
    io.stderr.write(`\n${found}\n`);
    if (found === EXPECTED) return EXIT.done;
    io.stderr.write(`${colors.red(say(locale, 'demoWrong', { what: EXPECTED }))}\n`);
    return EXIT.failed;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function doTasks(agent: Agent, io: Io, locale: Locale): Promise<ExitCode> {
  const colors = colorsOf(io);
  for (const [index, task] of TASKS[locale].entries()) {
    io.stderr.write(`\n${colors.bold(`${index + 1}. ${task}`)}\n`);
    const options = { locale, grants: [], asks: 'deny', quiet: false, times: false } as const;
    const driven = await drive(agent.start(task), io, options);
    const { exitCode } = driven;
    if (exitCode === EXIT.interrupted || isStopped(exitCode)) return exitCode;
    if (driven.end !== 'rest') return EXIT.failed;
    writeOutcome(driven.outcome, io, locale);
    if (driven.outcome.status !== 'done') return EXIT.failed;
  }
  return EXIT.done;
}

/** A picture of 640 × 400 with something in it. */
async function makePhoto(path: string): Promise<void> {
  const { default: sharp } = await import('sharp');
  const pixels = Buffer.alloc(640 * 400 * 3);
  for (let index = 0; index < 640 * 400; index += 1) {
    const [x, y] = [index % 640, Math.floor(index / 640)];
    pixels.set([(x * 255) / 640, (y * 255) / 400, ((x ^ y) & 32) * 4], index * 3);
  }
  await sharp(pixels, { raw: { width: 640, height: 400, channels: 3 } })
    .jpeg()
    .toFile(path);
}

async function listing(folder: string): Promise<string> {
  const { default: sharp } = await import('sharp');
  // The runs themselves are kept in a folder whose name begins with a dot.
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.')).sort();
  const lines = await Promise.all(
    names.map(async (name) => {
      const { width, height, format } = await sharp(join(folder, name)).metadata();
      return `${name}: ${width} × ${height} ${format}`;
    }),
  );
  return lines.join('\n');
}
