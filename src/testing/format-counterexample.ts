import type { PropertyResult } from './check-properties.ts';
import { COMES_TO_REST, INVARIANTS } from './invariants/index.ts';
import {
  LIMITS_WORLD,
  NO_HOOKS_WORLD,
  ONE_CALL_WORLD,
  TWO_CALL_LIMITS_WORLD,
  TWO_CALL_NO_HOOKS_WORLD,
  TWO_CALL_WORLD,
} from './world/shipped-worlds.ts';
import type { World, WorldEvent } from './world/world.types.ts';

type Failed = PropertyResult & {
  readonly counterexample: NonNullable<PropertyResult['counterexample']>;
};

/** Whether a property was broken. */
export function isBroken<Result extends PropertyResult>(result: Result): result is Result & Failed {
  return result.counterexample !== null;
}

/** A counterexample as numbered steps. */
export function formatSteps({ id, text, counterexample }: Failed): string {
  const { path, problem } = counterexample;
  const steps = path.map(({ label }, index) => `  ${index + 1}. ${label}`);
  return [`${id}: ${text}`, ...steps, `  => ${problem}`].join('\n');
}

/** A counterexample as a Mermaid sequence diagram. */
export function formatMermaid({ counterexample }: Failed): string {
  const { path, problem } = counterexample;
  const lines = path.map((event) => {
    const who = participant(event);
    return `  ${who}->>Agent: ${plain(event.label)}`;
  });
  return ['sequenceDiagram', ...lines, `  Note over Agent: ${plain(problem)}`].join('\n');
}

/** What a counterexample was found with. */
export interface Origin {
  readonly world: World;
  /** The module that exports the property among its `properties`; the design's own need none. */
  readonly module?: string;
}

/**
 * A counterexample as a whole test file, for vitest: a reproduction. The path and the world with its
 * policies are in it, so that it holds once the machine or the property is mended, and not by other
 * policies; those are verified anew.
 */
export function formatTest(
  { id, text, counterexample }: Failed,
  { world, module }: Origin,
): string {
  const events = counterexample.path.map((event) => `    ${JSON.stringify(event)},`);
  const isOurs = [...INVARIANTS, COMES_TO_REST].some((property) => property.id === id);
  const [shipped] = Object.entries(WORLDS).find(([, one]) => one === world) ?? [];
  const ours = isOurs ? ['COMES_TO_REST', 'INVARIANTS'] : [];
  const properties = isOurs ? '[...INVARIANTS, COMES_TO_REST]' : 'properties';
  const names = [
    'checkPath',
    'createReplay',
    ...ours,
    ...(shipped === undefined ? [] : [shipped]),
  ].sort();
  return [
    `import { ${names.join(', ')} } from 'agenthub/testing';`,
    "import { expect, it } from 'vitest';",
    ...(isOurs ? [] : [`import { properties } from ${JSON.stringify(module ?? './yours.js')};`]),
    '',
    `it(${JSON.stringify(text)}, async () => {`,
    '  const path = [',
    ...events,
    '  ];',
    `  const snapshots = await createReplay(${shipped ?? JSON.stringify(world)})(path);`,
    `  const checked = ${properties}.filter(({ id }) => id === ${JSON.stringify(id)});`,
    '  const problems = checked.map((property) => checkPath(property, { path, snapshots }));',
    '  expect(problems).toEqual([[]]);',
    '});',
  ].join('\n');
}

/** The worlds that a test can import, by the names they are exported under. */
const WORLDS: Readonly<Record<string, World>> = {
  LIMITS_WORLD,
  NO_HOOKS_WORLD,
  ONE_CALL_WORLD,
  TWO_CALL_LIMITS_WORLD,
  TWO_CALL_NO_HOOKS_WORLD,
  TWO_CALL_WORLD,
};

function participant({ type, label }: WorldEvent): string {
  if (/^(permission|run)\./u.test(type)) return 'Person';
  const [id = ''] = label.split(' ');
  if (id.startsWith('tool.')) return 'Tool';
  if (id === 'callModel' || id === 'parseReply') return 'Model';
  if (id === 'inspectFacts' || id === 'approvalDeadline') return 'World';
  return 'Hooks';
}

/** Mermaid reads `;` and `#` as its own. */
function plain(text: string): string {
  return text.replace(/[;#]/gu, ',').replace(/\n/gu, ' ');
}
