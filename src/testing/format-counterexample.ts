import type { PropertyResult } from './check-properties.ts';
import type { WorldEvent } from './world/world.types.ts';

type Failed = PropertyResult & {
  readonly counterexample: NonNullable<PropertyResult['counterexample']>;
};

/** Whether a property was broken. */
export function isBroken(result: PropertyResult): result is Failed {
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

/** A counterexample as a test that holds once the fault is mended. */
export function formatTest({ id, text, counterexample }: Failed): string {
  const events = counterexample.path.map((event) => `    ${JSON.stringify(event)},`);
  return [
    "import { expect, it } from 'vitest';",
    "import { checkPath, createReplay } from 'agenthub/testing';",
    "import { properties, world } from './verification.ts'; // yours",
    '',
    `it(${JSON.stringify(text)}, async () => {`,
    '  const path = [',
    ...events,
    '  ];',
    '  const snapshots = await createReplay(world)(path);',
    `  const property = properties.find(({ id }) => id === ${JSON.stringify(id)});`,
    '  expect(checkPath(property, { path, snapshots })).toEqual([]);',
    '});',
  ].join('\n');
}

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
