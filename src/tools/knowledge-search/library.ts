import { constants, lstatSync, realpathSync } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';
import { decodeMarkdown } from './decode.ts';
import { fold } from './fold-text.ts';
import { buildIndex, type SearchIndex } from './search.ts';
import { type Section, splitSections } from './sections.ts';

/** The largest file that is read, in bytes, and how many files and folders deep are looked at. */
const MAX_FILE_BYTES = 512 * 1024;
const MAX_FILES = 2000;
const MAX_DEPTH = 16;

/** The folder that stays closed wherever it lies, whatever its case or spelling. */
const PRIVATE_NAME = 'private';

/** A section with the file it is from: the path below the root, as on disk. */
export interface LibrarySection extends Section {
  readonly file: string;
}

/** Why a file that would have been read was not. */
export type SkipReason = 'not_utf8' | 'too_large' | 'hard_link' | 'unreadable' | 'too_many';

export interface SkippedFile {
  readonly file: string;
  readonly reason: SkipReason;
}

export interface Library {
  readonly index: SearchIndex<LibrarySection>;
  readonly skipped: readonly SkippedFile[];
}

export interface LibraryReader {
  /** The real path of the root. */
  readonly root: string;
  /** The library as it is on disk now; parts that did not change are not read again. */
  read(signal: AbortSignal): Promise<Library>;
}

interface CachedFile {
  /** Device, inode, size, modification and change time: another value means another content. */
  readonly key: string;
  readonly sections: readonly LibrarySection[];
  readonly skipped: SkipReason | null;
}

/**
 * Reads the Markdown files below a root. Links are not followed, neither to files nor to folders;
 * private folders are not opened; files with further names (hard links) and anything but regular
 * files are left out. The root is resolved once, here. Throws `invalid_root` when it is no folder.
 */
export function createLibraryReader(
  folder: string,
  isPrivate: (path: string) => boolean,
): LibraryReader {
  const root = resolveRoot(folder);
  let files: ReadonlyMap<string, CachedFile> = new Map();
  let library: { readonly key: string; readonly value: Library } | null = null;

  return {
    root: root.path,
    async read(signal) {
      await requireSameRoot(root);
      const { paths, skipped } = await listFiles(root.path, { isPrivate, signal });
      const next = new Map<string, CachedFile>();
      for (const path of paths) {
        signal.throwIfAborted();
        const cached = await readFileSections(root.path, path, files.get(path));
        if (cached !== null) next.set(path, cached);
      }
      files = next;
      const key = JSON.stringify([[...next].map(([path, file]) => [path, file.key]), skipped]);
      if (library?.key === key) return library.value;
      const sections = [...next.values()].flatMap((file) => file.sections);
      const left = [...next].flatMap(([file, cached]) =>
        cached.skipped === null ? [] : [{ file, reason: cached.skipped }],
      );
      const value = { index: buildIndex(sections), skipped: [...left, ...skipped] };
      library = { key, value };
      return value;
    },
  };
}

interface Root {
  readonly path: string;
  readonly key: string;
}

function resolveRoot(folder: string): Root {
  try {
    const path = realpathSync(folder);
    const stats = lstatSync(path, { bigint: true });
    if (stats.isDirectory()) return { path, key: `${stats.dev}:${stats.ino}` };
  } catch {
    // Reported below, like a file in the place of a folder.
  }
  throw new AgentHubError(
    'invalid_root',
    `The knowledge folder ${JSON.stringify(folder)} does not exist; create it or change the configuration.`,
  );
}

async function requireSameRoot(root: Root): Promise<void> {
  const stats = await lstat(root.path, { bigint: true }).catch(() => null);
  if (stats?.isDirectory() && `${stats.dev}:${stats.ino}` === root.key) return;
  throw new AgentHubError(
    'root_changed',
    'The knowledge folder was replaced since the start, so it is not read; start again.',
  );
}

/** Paths below the root, sorted, so that equal folders give equal answers. */
async function listFiles(
  root: string,
  options: { readonly isPrivate: (path: string) => boolean; readonly signal: AbortSignal },
): Promise<{ readonly paths: readonly string[]; readonly skipped: readonly SkippedFile[] }> {
  const paths: string[] = [];
  const folders = [{ path: '', depth: 0 }];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    options.signal.throwIfAborted();
    const entries = await readdir(join(root, folder.path), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = folder.path === '' ? entry.name : `${folder.path}/${entry.name}`;
      if (isPrivateName(entry.name) || options.isPrivate(join(root, path))) continue;
      if (entry.isDirectory() && !entry.name.startsWith('.') && folder.depth < MAX_DEPTH) {
        folders.push({ path, depth: folder.depth + 1 });
      }
      if (entry.isFile() && /\.md$/iu.test(entry.name)) paths.push(path);
    }
  }
  paths.sort();
  const skipped = paths.slice(MAX_FILES).map((file): SkippedFile => ({ file, reason: 'too_many' }));
  return { paths: paths.slice(0, MAX_FILES), skipped };
}

function isPrivateName(name: string): boolean {
  return fold(name).replace(/[. ]+$/u, '') === PRIVATE_NAME;
}

async function readFileSections(
  root: string,
  file: string,
  before: CachedFile | undefined,
): Promise<CachedFile | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(join(root, file), flags).catch(() => null);
  if (handle === null) return { key: 'unreadable', sections: [], skipped: 'unreadable' };
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) return null;
    const { dev, ino, size, mtimeNs, ctimeNs, nlink } = stats;
    const key = [dev, ino, size, mtimeNs, ctimeNs, nlink].join(':');
    if (before?.key === key) return before;
    const skip = (skipped: SkipReason): CachedFile => ({ key, sections: [], skipped });
    if (nlink > 1n) return skip('hard_link');
    if (size > BigInt(MAX_FILE_BYTES)) return skip('too_large');
    const text = decodeMarkdown(await handle.readFile());
    if (text === null) return skip('not_utf8');
    const { preamble, sections } = splitSections(text);
    // The file's own title alone answers nothing.
    const isKept = preamble !== null && (preamble.hasText || sections.length === 0);
    const all = isKept ? [preamble, ...sections] : sections;
    return { key, sections: all.map((section) => ({ ...section, file })), skipped: null };
  } finally {
    await handle.close();
  }
}
