/** A named measurement, `npm run bench -- <name>`. */
export interface Bench {
  /** Prints what it measured; answers whether its requirement holds. */
  run(): Promise<boolean>;
}

/** How long `work` takes, in milliseconds. */
export function timeOf(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}
