import * as nodeFiles from 'node:fs/promises';
import type { FileSystem } from '../../src/facts/file-system.ts';

/** A change to the tree, and how to take it back. */
export interface Swap {
  readonly make: () => void;
  readonly undo: () => void;
}

export interface SwappingFiles {
  readonly files: FileSystem;
  /** Steps taken so far. */
  readonly steps: () => number;
}

/**
 * A file system in which somebody else makes a change right before one step and, right before a
 * later one, takes it back: what may happen between any two steps of a look, a read or a write.
 */
export function swappingFiles(
  swap: Swap,
  window: { readonly from: number; readonly to: number },
  base: FileSystem = nodeFiles,
): SwappingFiles {
  let step = 0;
  const before = () => {
    if (step === window.from) swap.make();
    if (step === window.to) swap.undo();
    step += 1;
  };
  const stepping = <Name extends keyof FileSystem>(name: Name): FileSystem[Name] =>
    (async (...given: unknown[]) => {
      before();
      return (base[name] as (...rest: unknown[]) => unknown)(...given);
    }) as unknown as FileSystem[Name];
  return {
    files: {
      open: stepping('open'),
      lstat: stepping('lstat'),
      stat: stepping('stat'),
      readlink: stepping('readlink'),
      realpath: stepping('realpath'),
      readdir: stepping('readdir'),
      link: stepping('link'),
      rename: stepping('rename'),
      unlink: stepping('unlink'),
    },
    steps: () => step,
  };
}

/** A file system that does not name open files below /proc, as on macOS. */
export const WITHOUT_PROC: FileSystem = {
  ...nodeFiles,
  readlink: (async (path: string) => {
    if (path.startsWith('/proc/self/fd/')) throw Object.assign(new Error(), { code: 'ENOENT' });
    return nodeFiles.readlink(path);
  }) as FileSystem['readlink'],
};
