import { orAborted } from '../../support/abort.ts';
import { decodeMarkdown } from './decode.ts';
import { fold } from './fold-text.ts';
import type { KnowledgeFile, KnowledgeFiles } from './knowledge-files.types.ts';
import { createRanking, type IndexedEntry, indexEntries, removeEntries } from './ranking.ts';
import type { SearchIndex } from './search.ts';
import { type Section, splitInSteps } from './sections.ts';
import { inSlices } from './slices.ts';

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
  /**
   * The library as it is on disk now; files that did not change are not read again. Stops when
   * aborted, and keeps what it has read by then: the next call reads the rest.
   */
  read(signal: AbortSignal): Promise<Library>;
}

/** A file that was read, or why it was not. */
interface KnownFile {
  readonly file: string;
  /** What stood there; null for a file to be tried again. */
  readonly key: string | null;
  readonly entries: readonly IndexedEntry<LibrarySection>[];
  readonly skipped: SkipReason | null;
}

/**
 * Reads the Markdown files of a folder. Files with further names (hard links) are left out. What
 * is known of a file is kept here and shared by all searches: two at a time read each file once.
 */
export function createLibraryReader(files: KnowledgeFiles): LibraryReader {
  const known = new Map<string, KnownFile>();
  const reading = new Map<string, { readonly key: string; readonly read: Promise<KnownFile> }>();
  const ranking = createRanking();
  let last: { readonly parts: readonly unknown[]; readonly library: Library } | null = null;

  const forget = (file: string) => {
    removeEntries(ranking, known.get(file)?.entries ?? []);
    known.delete(file);
  };

  const read = async (listed: KnowledgeFile, key: string): Promise<KnownFile> => {
    const { file } = listed;
    const skip = (skipped: SkipReason, kept: string | null = key): KnownFile => {
      return { file, key: kept, entries: [], skipped };
    };
    if (listed.hasOtherNames) return skip('hard_link');
    if (listed.bytes > MAX_FILE_BYTES) return skip('too_large');
    // Of nobody's signal: who asked may be gone, and the next asks for the same.
    const { signal } = new AbortController();
    const bytes = await files
      .read(listed.identity, { signal, maxBytes: MAX_FILE_BYTES })
      .catch(() => null);
    if (bytes === null) return skip('unreadable', null);
    const text = decodeMarkdown(bytes);
    if (text === null) return skip('not_utf8');
    const sections = await readSections(file, text);
    const entries = await inSlices(indexEntries(ranking, sections));
    return { file, key, entries, skipped: null };
  };

  /** What is known of a file as it was listed; reads it once, however many ask at a time. */
  const know = (listed: KnowledgeFile): KnownFile | Promise<KnownFile> => {
    const { file, identity, hasOtherNames } = listed;
    const key = JSON.stringify([identity, hasOtherNames]);
    const before = known.get(file);
    if (before?.key === key) return before;
    const under = reading.get(file);
    if (under?.key === key) return under.read;
    const work = read(listed, key).then((found) => {
      forget(file);
      known.set(file, found);
      return found;
    });
    const entry = { key, read: work };
    reading.set(file, entry);
    const settle = () => {
      if (reading.get(file) === entry) reading.delete(file);
    };
    work.then(settle, settle);
    return work;
  };

  return {
    async read(signal) {
      const listed = await listMarkdown(files, signal);
      const present = new Set(listed.map(({ file }) => file));
      for (const file of [...known.keys()]) if (!present.has(file)) forget(file);
      const found: KnownFile[] = [];
      for (const file of listed.slice(0, MAX_FILES)) {
        signal.throwIfAborted();
        const one = know(file);
        found.push(one instanceof Promise ? await orAborted(one, signal) : one);
      }
      const tooMany = listed.slice(MAX_FILES).map(({ file }) => file);
      const parts = [...found, ...tooMany];
      if (last !== null && isSame(last.parts, parts)) return last.library;
      const entries = found.flatMap((file) => file.entries);
      const library = { index: { entries, ranking }, skipped: listSkipped(found, tooMany) };
      last = { parts, library };
      return library;
    },
  };
}

function listMarkdown(files: KnowledgeFiles, signal: AbortSignal) {
  return files.list({
    signal,
    enters: (name) => !name.startsWith('.') && !isPrivateName(name),
    takes: (name) => /\.md$/iu.test(name) && !isPrivateName(name),
    maxDepth: MAX_DEPTH,
  });
}

function isPrivateName(name: string): boolean {
  return fold(name).replace(/[. ]+$/u, '') === PRIVATE_NAME;
}

async function readSections(file: string, text: string): Promise<readonly LibrarySection[]> {
  const { preamble, sections } = await inSlices(splitInSteps(text));
  // The file's own title alone answers nothing.
  const isKept = preamble !== null && (preamble.hasText || sections.length === 0);
  const all = isKept ? [preamble, ...sections] : sections;
  return all.map((section) => ({ ...section, file }));
}

function listSkipped(found: readonly KnownFile[], tooMany: readonly string[]): SkippedFile[] {
  const skipped = found.flatMap(({ file, skipped: reason }) =>
    reason === null ? [] : [{ file, reason }],
  );
  return [...skipped, ...tooMany.map((file): SkippedFile => ({ file, reason: 'too_many' }))];
}

function isSame(before: readonly unknown[], now: readonly unknown[]): boolean {
  return before.length === now.length && now.every((part, index) => part === before[index]);
}
