import { realpathSync, statSync } from 'node:fs';
import * as nodeFiles from 'node:fs/promises';
import { posix } from 'node:path';
import { AgentHubError, type ErrorData } from '../../machines/vocabulary/errors.ts';
import type { JsonObject } from '../../machines/vocabulary/json.ts';
import { privateRelation } from './areas.ts';
import { type ReadOptions, readApproved } from './file-read.ts';
import type { FileSystem } from './file-system.ts';
import { type WriteOptions, writeApproved } from './file-write.ts';
import { identityOf, inodeKey } from './identity.ts';
import { findPathTextProblem } from './path-text.ts';
import { findFileProblem } from './problems.ts';
import { findRealFolder, type RealFolder } from './real-folder.ts';
import { type Areas, type FileOperation, judge, type PathVerdict } from './verdict.ts';
import { type Walk, walkPath } from './walk.ts';

/** The folders a guard knows; relative ones start from the working folder. */
export interface FileGuardOptions {
  /** The folder that relative paths start from; need not be an allowed one. */
  readonly workingFolder: string;
  /** Folders that may be read and written without asking. Each must exist. */
  readonly allowed: readonly string[];
  /** Folders that stay closed, whatever else allows them. They may be missing. */
  readonly private: readonly string[];
  readonly files?: FileSystem;
}

/** What a path is, before anything is opened. */
export interface FileInspection {
  readonly verdict: PathVerdict;
  readonly touchesPrivate: boolean;
  readonly outsideAllowedArea: boolean;
  /** Whether something stands there; false for a private path, whatever is there. */
  readonly exists: boolean;
  /** Why it cannot be used for a file, with a text for the model; null for a private path. */
  readonly problem: ErrorData | null;
  /** What was inspected, for {@link FileGuard.read} or `write`; null when there is a problem. */
  readonly identity: JsonObject | null;
}

/** The one place that decides which files may be touched, and that touches them. */
export interface FileGuard {
  /**
   * Looks a path up, opening folders only, and judges what their handles say. Throws `moved` when
   * a folder was moved meanwhile, `area_changed` when an allowed folder was replaced.
   */
  inspect(path: unknown, operation: FileOperation): Promise<FileInspection>;
  /**
   * Whether an absolute path is, or is inside, a private area, by its text; or, given its
   * {@link inodeKey}, whether it is a private folder under another name.
   */
  isPrivate(path: string, key?: string): boolean;
  /** The content of an inspected input; throws `file_changed` when it is not what was inspected. */
  read(identity: JsonObject, options: ReadOptions): Promise<Uint8Array>;
  /** Writes an inspected output in one step; throws `file_changed` or `output_exists`. */
  write(identity: JsonObject, content: Uint8Array, options: WriteOptions): Promise<void>;
}

const PRIVATE: FileInspection = {
  verdict: 'private',
  touchesPrivate: true,
  outsideAllowedArea: false,
  exists: false,
  problem: null,
  identity: null,
};

/**
 * Makes a guard. The folders are resolved once, here, and remembered with their inodes, so that
 * neither a changed working directory nor a replaced folder moves them. POSIX paths only.
 * Throws `invalid_area` for an allowed or working folder that is not one.
 */
export function createFileGuard(options: FileGuardOptions): FileGuard {
  const { files = nodeFiles } = options;
  const workingFolder = resolveFolder(options.workingFolder).path;
  const allowed = options.allowed.map(resolveFolder);
  const configured = options.private.map((path) => posix.resolve(workingFolder, path));
  const known = new Set([...configured, ...configured.map(resolveAsFarAsPossible)]);
  // A private folder stays private under whatever name it is moved to.
  const knownKeys = new Set(configured.flatMap(findKey));

  return {
    isPrivate: (path, key = '') =>
      knownKeys.has(key) || [...known].some((area) => privateRelation(area, path) !== 'apart'),
    read: (identity, given) => readApproved(identity, { files, ...given }),
    write: (identity, content, given) => writeApproved(identity, content, { files, ...given }),
    async inspect(path, operation) {
      const textProblem = findPathTextProblem(path);
      if (textProblem !== null) return unusable('invalid', 'invalid_path', textProblem);
      const text = path as string;
      for (const folder of allowed) await requireSameFolder(folder, files);
      const areas: Areas = {
        allowed: allowed.map((folder) => folder.path),
        ...(await resolvePrivate({ paths: known, privateKeys: knownKeys }, files)),
      };
      const walk = await walkPath(workingFolder, text, files);
      for (const folder of allowed) requireWalkedFolder(folder, walk);
      const lexicalPath = posix.resolve(workingFolder, text);
      const verdict = judge(walk, operation, { areas, lexicalPath });
      if (verdict === 'private') return PRIVATE;
      const problem = findFileProblem(walk, operation, text);
      return {
        verdict,
        touchesPrivate: false,
        outsideAllowedArea: verdict === 'outside',
        exists: walk.end.kind === 'found',
        problem,
        identity: problem === null ? identify(walk, operation) : null,
      };
    },
  };
}

function resolveFolder(folder: string): RealFolder {
  const found = findRealFolder(folder);
  if (found !== null) return found;
  throw new AgentHubError(
    'invalid_area',
    `${JSON.stringify(folder)} is not a folder that exists; create it or change the configuration.`,
  );
}

function resolveAsFarAsPossible(path: string): string {
  try {
    statSync(path);
    return realpathSync(path);
  } catch {
    const folder = posix.dirname(path);
    if (folder === path) return path;
    return posix.join(resolveAsFarAsPossible(folder), posix.basename(path));
  }
}

async function requireSameFolder(folder: RealFolder, files: FileSystem): Promise<void> {
  const stats = await files.lstat(folder.path, { bigint: true }).catch(() => null);
  if (!stats?.isDirectory() || inodeKey(stats) !== folder.key) throw areaChanged();
}

/** An allowed folder that was another one only while the walk passed it. */
function requireWalkedFolder(folder: RealFolder, { waypoints }: Walk): void {
  const passed = waypoints.findLast(({ path }) => path === folder.path);
  if (passed !== undefined && passed.key !== folder.key) throw areaChanged();
}

function areaChanged(): AgentHubError {
  return new AgentHubError(
    'area_changed',
    'An allowed folder was replaced since the start, so nothing in it is touched; start again.',
  );
}

function findKey(path: string): string[] {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? [] : [inodeKey(stats)];
}

async function resolvePrivate(
  known: { readonly paths: ReadonlySet<string>; readonly privateKeys: ReadonlySet<string> },
  files: FileSystem,
): Promise<Omit<Areas, 'allowed'>> {
  const paths = new Set(known.paths);
  const privateKeys = new Set(known.privateKeys);
  for (const path of known.paths) {
    const stats = await files.stat(path, { bigint: true }).catch(() => null);
    if (stats === null) continue;
    privateKeys.add(inodeKey(stats));
    paths.add(await files.realpath(path));
  }
  return { private: [...paths], privateKeys };
}

function unusable(verdict: PathVerdict, code: string, message: string): FileInspection {
  return { ...PRIVATE, verdict, touchesPrivate: false, problem: { code, message } };
}

function identify({ end, folderStats }: Walk, operation: FileOperation): JsonObject {
  const file = end.kind === 'found' ? identityOf(end.stats) : null;
  if (operation === 'read') return { path: end.path, file };
  const folder = { dev: String(folderStats.dev), ino: String(folderStats.ino) };
  return { path: end.path, folder, existing: file };
}
