import { toGraph } from '../../machines/agent/agent.graph.ts';
import { agentMachine } from '../../machines/agent/agent.machine.ts';
import { checkProperties, type PropertyReport } from './check-properties.ts';
import { type Coverage, createCoverage, type Mismatch, mergeCoverage } from './coverage.ts';
import { type Cycle, findCycles } from './cycles.ts';
import type { ExploredEdge } from './explore.ts';
import { createFingerprint } from './fingerprint.ts';
import { COMES_TO_REST, INVARIANTS } from './invariants/index.ts';
import type { Property } from './properties.ts';
import { SHIPPED_WORLDS } from './world/shipped-worlds.ts';
import type { NamedWorld } from './world/world.types.ts';

/** What is verified; by default the shipped machine in the shipped worlds. */
export interface VerifyOptions {
  readonly machine?: typeof agentMachine;
  readonly worlds?: readonly NamedWorld[];
  /** Beside the design's own, which are always checked. */
  readonly properties?: readonly Property[];
  readonly onProgress?: (progress: { readonly world: string; readonly edges: number }) => void;
}

/** What verifying one world gave. */
export interface WorldReport extends PropertyReport {
  readonly name: string;
  readonly replayed: number;
  readonly mismatches: readonly Mismatch[];
  /** What its replays covered. */
  readonly coverage: Coverage;
  readonly ms: number;
  /** See `fingerprintOf`. */
  readonly fingerprint: string;
}

/** What verifying gave. */
export interface Verification {
  /** Whether every property holds, and applied somewhere. */
  readonly holds: boolean;
  /** The properties that applied in no world: nothing was checked. */
  readonly unapplied: readonly string[];
  readonly worlds: readonly WorldReport[];
  readonly coverage: Coverage;
  readonly cycles: readonly Cycle[];
}

/**
 * Checks every property on every path of the machine in every world, replays paths on live actors,
 * and looks for what bounds each cycle of the chart.
 * @throws AgentHubError `space_too_large` where a world or a property's memory has no end.
 */
export async function verify(options: VerifyOptions = {}): Promise<Verification> {
  const { machine = agentMachine, worlds = SHIPPED_WORLDS, onProgress } = options;
  const properties = [...INVARIANTS, COMES_TO_REST, ...(options.properties ?? [])];
  const reports: WorldReport[] = [];
  for (const { name, world, replay } of worlds) {
    const startedAt = performance.now();
    const counter = createCoverage(machine);
    const told = (edges: number) => onProgress?.({ world: name, edges });
    const sample = createSample(replay);
    const print = createFingerprint();
    const check = { machine, onProgress: told, onEdge: each(sample.see, print.see) };
    const report = checkProperties(world, properties, check);
    const { edges } = sample;
    const mismatches = await counter.replay(world, edges);
    const ms = Math.round(performance.now() - startedAt);
    const fingerprint = print.digest();
    const part = {
      replayed: edges.length,
      mismatches,
      coverage: counter.report(),
      ms,
      fingerprint,
    };
    reports.push({ name, ...report, ...part });
  }
  const cycles = findCycles(toGraph(machine));
  const unapplied = properties
    .filter((_, index) => !reports.some(({ results }) => results[index]?.applied))
    .map(({ id }) => id);
  const holds =
    unapplied.length === 0 &&
    cycles.every(({ bounds }) => bounds.length > 0) &&
    reports.every(
      ({ results, mismatches }) =>
        mismatches.length === 0 && results.every(({ counterexample }) => counterexample === null),
    );
  const coverage = mergeCoverage(reports.map((report) => report.coverage));
  return { holds, unapplied, worlds: reports, coverage, cycles };
}

/** Takes all edges, or the first of each kind and one in so many of the rest. */
function createSample(replay: NamedWorld['replay']) {
  const edges: ExploredEdge[] = [];
  const kinds = new Set<string>();
  let index = 0;
  const see = (edge: ExploredEdge) => {
    const { source, event } = edge;
    const { value, context } = source.snapshot;
    const why = context.rest?.status === 'suspended' ? context.rest.reason : '';
    const kind = `${JSON.stringify(value)} ${why} ${event.label.replace(/\d+\.\d+/gu, '')}`;
    if (replay === 'all' || !kinds.has(kind) || index % replay === 0) edges.push(edge);
    kinds.add(kind);
    index += 1;
  };
  return { edges, see };
}

function each(...callbacks: readonly ((edge: ExploredEdge) => void)[]) {
  return (edge: ExploredEdge) => {
    for (const callback of callbacks) callback(edge);
  };
}
