import type { Bench } from './bench.ts';

/** The benches, by name; each is loaded only when asked for. */
const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  blocking: async () => (await import('./blocking.ts')).blocking,
  inspector: async () => (await import('./inspector.ts')).inspector,
  knowledge: async () => (await import('./knowledge.ts')).knowledge,
  loop: async () => (await import('./loop.ts')).loop,
  persist: async () => (await import('./persist.ts')).persist,
  parser: async () => (await import('./parser.ts')).parser,
};

process.exitCode = await main(process.argv.slice(2));

/** Runs the named benches, or all; answers the exit code: 0 all hold, 1 one does not, 2 not run. */
async function main(names: readonly string[]): Promise<number> {
  let holds = true;
  for (const name of names.length === 0 ? Object.keys(BENCHES) : names) {
    const load = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined;
    if (load === undefined) {
      console.error(`unknown bench ${name}; there is: ${Object.keys(BENCHES).join(', ')}`);
      return 2;
    }
    holds = (await (await load()).run()) && holds;
  }
  return holds ? 0 : 1;
}
