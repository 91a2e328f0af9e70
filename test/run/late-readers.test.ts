import { describe, expect, it } from 'vitest';
import type { Model } from '../../src/model/model.types.ts';
import { createAgent } from '../../src/run/create-agent.ts';
import type { RunEvent } from '../../src/run/run.types.ts';

/** A model that tells its answer in pieces. */
const pieces: Model = {
  name: 'm',
  generate: async (_, { onDelta }) => {
    onDelta?.({ kind: 'reasoning', text: 'hm' });
    for (const text of ['one ', 'two ', 'three']) onDelta?.({ kind: 'text', text });
    onDelta?.({ kind: 'call', text: '{', index: 0, tool: 'a' });
    onDelta?.({ kind: 'call', text: '}', index: 0 });
    onDelta?.({ kind: 'call', text: '{}', index: 1, tool: 'b' });
    const text = 'one two three';
    return { text, calls: [], finishReason: 'stop', model: 'm', requests: [] };
  },
};

async function deltasOf(run: AsyncIterable<RunEvent>) {
  const told: unknown[] = [];
  for await (const event of run) if (event.type === 'delta') told.push(event.delta);
  return told;
}

const MERGED = [
  { kind: 'reasoning', text: 'hm' },
  { kind: 'text', text: 'one two three' },
  { kind: 'call', text: '{}', index: 0, tool: 'a' },
  { kind: 'call', text: '{}', index: 1, tool: 'b' },
];

describe('the pieces of a reply', () => {
  it('are told one by one to whoever reads from the start', async () => {
    expect(await deltasOf(createAgent({ model: pieces }).start('go'))).toHaveLength(7);
  });

  it('are kept, as few, for the first reader, however late it begins; and only for that one', async () => {
    const run = createAgent({ model: pieces }).start('go');
    await run.outcome;
    expect(await deltasOf(run)).toEqual(MERGED);
    expect(await deltasOf(run)).toEqual([]);
  });

  it('stand where they were told, among all other events', async () => {
    const run = createAgent({ model: pieces }).start('go');
    await run.outcome;
    const types: string[] = [];
    for await (const event of run) types.push(event.type);
    const [started, ended] = [types.indexOf('step.started'), types.indexOf('step.finished')];
    const deltas = types.flatMap((type, index) => (type === 'delta' ? [index] : []));
    expect(deltas).toEqual([1, 2, 3, 4].map((place) => started + place));
    expect(ended).toBe(started + 5);
  });
});
