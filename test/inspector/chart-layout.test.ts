import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { layoutChart, layoutHash } from '../../docs/chart-layout.ts';
import { toGraph } from '../../machines/agent/agent.graph.ts';
import { agentMachine } from '../../machines/agent/agent.machine.ts';
import type { ChartLayout } from '../../src/inspector/api.types.ts';

const graph = toGraph(agentMachine);
const stored = JSON.parse(readFileSync('src/inspector/chart.layout.json', 'utf8')) as ChartLayout;

describe('the layout of the chart', () => {
  it('is fresh: npm run generate:chart', () => {
    expect(stored.hash).toBe(layoutHash(graph));
  });

  it('draws every state and every transition once, with a row of its own', () => {
    const drawn = stored.states.flatMap(({ id, kind }) =>
      kind === 'initial' || kind === 'anywhere' ? [] : [id],
    );
    expect(drawn.toSorted()).toEqual(graph.states.map(({ id }) => id).toSorted());
    const indices = stored.edges.flatMap(({ transitions }) => transitions);
    expect(indices.toSorted((a, b) => a - b)).toEqual([...graph.transitions.keys()]);
    for (const { labels, transitions, points } of stored.edges) {
      expect(labels).toHaveLength(transitions.length);
      expect(points.length).toBeGreaterThan(1);
    }
  });

  it('keeps states inside their parents and apart from each other, the loop the right way up', () => {
    const place = (id: string) => stored.states.find((state) => state.id === id);
    for (const { id, parent } of graph.states) {
      const [inner, outer] = [place(id), parent === null ? undefined : place(parent)];
      if (inner === undefined || outer === undefined) continue;
      expect(inner.x).toBeGreaterThan(outer.x);
      expect(inner.x + inner.width).toBeLessThan(outer.x + outer.width);
      expect(inner.y + inner.height).toBeLessThan(outer.y + outer.height);
    }
    const order = ['submitPrompt', 'callModel', 'parseReply', 'preToolHook', 'awaitPermission'];
    const tops = [...order, 'execute', 'postToolHook'].map((id) => place(id)?.y ?? 0);
    expect(tops).toEqual(tops.toSorted((a, b) => a - b));
  });

  it('comes out of the layout engine as it is stored', async () => {
    expect(await layoutChart(graph)).toEqual(stored);
  });
});
