import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import * as nodeFiles from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AgentHubError } from '../../machines/vocabulary/errors.ts';
import { createFileGuard, type FileGuard } from '../../src/facts/file-guard.ts';
import type { FileSystem } from '../../src/facts/file-system.ts';
import { createFolderFiles } from '../../src/facts/folder-files.ts';
import { inTemporaryFolder } from '../tools/tool-context.ts';
import { type Swap, swappingFiles, WITHOUT_PROC } from './swapping-files.ts';

const { signal } = new AbortController();
/** How many steps a swap lasts: a moment, a while, for ever. */
const LENGTHS = [1, 4, Number.POSITIVE_INFINITY];

/** A tree with an allowed folder, a private one and one outside; each holds `a/f.txt`. */
function buildTree(root: string): void {
  for (const folder of ['allowed', 'secret', 'outside']) {
    mkdirSync(join(root, folder, 'a'), { recursive: true });
    writeFileSync(join(root, folder, 'a/f.txt'), folder);
  }
}

/** Puts a link to `target` in the place of a folder; a private one may also change places with it. */
function swapsOf(root: string): Readonly<Record<string, Swap>> {
  const link = (place: string, target: string): Swap => {
    const held = join(root, 'held');
    return {
      make() {
        renameSync(place, held);
        symlinkSync(target, place);
      },
      undo() {
        rmSync(place);
        renameSync(held, place);
      },
    };
  };
  const exchange = (one: string, other: string): Swap => {
    const make = () => {
      renameSync(one, join(root, 'held'));
      renameSync(other, one);
      renameSync(join(root, 'held'), other);
    };
    return { make, undo: make };
  };
  const allowed = join(root, 'allowed');
  return {
    'a folder and a link to a private one': link(join(allowed, 'a'), join(root, 'secret/a')),
    'a folder and a link to one outside': link(join(allowed, 'a'), join(root, 'outside/a')),
    'the allowed folder and a link to the private one': link(allowed, join(root, 'secret')),
    'a folder and the private one itself': exchange(join(allowed, 'a'), join(root, 'secret')),
    'the allowed folder and the private one': exchange(allowed, join(root, 'secret')),
    'the allowed folder and one outside': exchange(allowed, join(root, 'outside')),
  };
}

interface Attempt {
  readonly guard: FileGuard;
  readonly files: FileSystem;
  readonly allowed: string;
}

/** What came of an attempt: content read, `written`, `asked` or `private`, or the code of the refusal. */
type Outcome = string;

async function outcomeOf(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AgentHubError) return error.code;
    throw error;
  }
}

/** What image_scaling does with a path when nobody approves anything. */
async function tryReading({ guard }: Attempt): Promise<Outcome> {
  const { touchesPrivate, outsideAllowedArea, identity, problem } = await guard.inspect(
    'a/f.txt',
    'read',
  );
  if (touchesPrivate) return 'private';
  if (outsideAllowedArea) return 'asked';
  if (identity === null) return problem?.code ?? 'no identity';
  const content = await guard.read(identity, { signal, maxBytes: 100 });
  return new TextDecoder().decode(content);
}

async function tryWriting({ guard }: Attempt): Promise<Outcome> {
  const { touchesPrivate, outsideAllowedArea, identity, problem } = await guard.inspect(
    'a/new.txt',
    'write',
  );
  if (touchesPrivate) return 'private';
  if (outsideAllowedArea) return 'asked';
  if (identity === null) return problem?.code ?? 'no identity';
  await guard.write(identity, new TextEncoder().encode('new'), { signal, overwrite: false });
  return 'written';
}

/** What knowledge_search does with its folder. */
async function tryListing({ guard, files, allowed }: Attempt): Promise<Outcome> {
  const folder = createFolderFiles({ root: allowed, isPrivate: guard.isPrivate, files });
  const every = { enters: () => true, takes: () => true, maxDepth: 5 };
  const [listed] = await folder.list({ signal, ...every });
  if (listed === undefined) return 'nothing';
  const content = await folder.read(listed.identity, { signal, maxBytes: 100 });
  return new TextDecoder().decode(content);
}

/** Every attempt with a swap that begins before each step and ends some steps later. */
async function everyWindow(
  place: string,
  name: string,
  work: { readonly base: FileSystem; readonly attempt: (given: Attempt) => Promise<Outcome> },
  judge: (outcome: Outcome, root: string) => void,
): Promise<ReadonlySet<Outcome>> {
  const outcomes = new Set<Outcome>();
  for (let from = 0, isOver = false; !isOver; from += 1) {
    for (const length of LENGTHS) {
      const root = join(place, `${from}-${length}`);
      buildTree(root);
      const allowed = join(root, 'allowed');
      const swap = swapsOf(root)[name];
      if (swap === undefined) throw new Error(name);
      const { files, steps } = swappingFiles(swap, { from, to: from + length }, work.base);
      const guard = createFileGuard({
        workingFolder: allowed,
        allowed: [allowed],
        private: [join(root, 'secret')],
        files,
      });
      const outcome = await outcomeOf(() => work.attempt({ guard, files, allowed }));
      outcomes.add(outcome);
      judge(outcome, root);
      isOver = steps() <= from;
    }
  }
  return outcomes;
}

/** Where new files, whole or not, are found in the tree, whatever its folders are called by now. */
function strays(root: string): string[] {
  return (readdirSync(root, { recursive: true }) as string[]).filter((path) =>
    /new\.txt$|\.tmp$/u.test(path),
  );
}

const NAMES = Object.keys(swapsOf(''));

const neverElse = (outcome: Outcome) => expect(['secret', 'outside']).not.toContain(outcome);

async function checkLooking(
  name: string,
  work: { readonly base: FileSystem; readonly attempt: (given: Attempt) => Promise<Outcome> },
): Promise<void> {
  await inTemporaryFolder(async (place) => {
    const seen = await everyWindow(place, name, work, neverElse);
    // Some swaps come too late or show the truth; others must be refused.
    expect(seen).toContain('allowed');
    expect(seen.size).toBeGreaterThan(1);
  });
}

describe.skipIf(process.platform !== 'linux')('a swap between any two steps', () => {
  it.each(NAMES)('of %s gives nothing else to read', (name) =>
    checkLooking(name, { base: nodeFiles, attempt: tryReading }),
  );

  it.each(NAMES)('of %s puts nothing else into a list of files', (name) =>
    checkLooking(name, { base: nodeFiles, attempt: tryListing }),
  );

  it.each(NAMES)('of %s leads no write elsewhere', async (name) => {
    await inTemporaryFolder(async (place) => {
      const work = { base: nodeFiles, attempt: tryWriting };
      const seen = await everyWindow(place, name, work, (outcome, root) => {
        const found = strays(root);
        expect(found.length).toBe(outcome === 'written' ? 1 : 0);
        // Whatever its name by now, it is the folder that was decided on.
        for (const path of found) {
          expect(readFileSync(join(root, path, '../f.txt'), 'utf8')).toBe('allowed');
        }
      });
      expect(seen).toContain('written');
      expect(seen.size).toBeGreaterThan(1);
    });
  });
});

describe('where open files have no names, a swap with a link between any two steps', () => {
  const links = NAMES.filter((name) => name.includes('a link to'));

  it.each(links)('of %s gives nothing else to read', (name) =>
    checkLooking(name, { base: WITHOUT_PROC, attempt: tryReading }),
  );

  it.each(links)('of %s puts nothing else into a list of files', (name) =>
    checkLooking(name, { base: WITHOUT_PROC, attempt: tryListing }),
  );
});
