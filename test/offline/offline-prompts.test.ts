import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { canonicalJson, type Json } from '../../machines/vocabulary/json.ts';
import { offlineModel } from '../../src/offline/index.ts';
import { nativeCalls, reactText } from '../../src/protocol/index.ts';
import { type MadeCall, rehearse } from './rehearsal.ts';

interface Expected {
  readonly tool: string;
  readonly arguments?: Readonly<Record<string, Json>>;
  readonly mentions?: readonly string[];
}

interface Row {
  readonly id: string;
  readonly prompt: string;
  readonly expected: readonly Expected[];
}

const file = new URL('../cases/offline-prompts.json', import.meta.url);
const { rows } = JSON.parse(readFileSync(file, 'utf8')) as { readonly rows: readonly Row[] };

/** Rows that must come out right, of 60. */
const LEAST = 54;

/** The default fit and a format that the output's name already says add nothing. */
function normalized(input: Json): string {
  const { fit, format, ...rest } = input as Record<string, Json>;
  const isDefaultFit = fit === undefined || fit === 'inside';
  const isSaid = format === undefined || String(rest.output).endsWith(`.${format}`);
  return canonicalJson({
    ...rest,
    ...(isDefaultFit ? {} : { fit }),
    ...(isSaid ? {} : { format }),
  });
}

function isAsExpected({ tool, input }: MadeCall, expected: Expected | undefined): boolean {
  if (tool !== expected?.tool) return false;
  if (expected.arguments) return normalized(input) === normalized(expected.arguments);
  const keywords = String((input as { keywords?: Json }).keywords);
  return (expected.mentions ?? []).every((word) =>
    keywords.toLowerCase().includes(word.toLowerCase()),
  );
}

function judge(calls: readonly MadeCall[], expected: readonly Expected[]): string | null {
  const work = calls.filter(({ tool }) => tool !== 'todo_write');
  const shown = JSON.stringify(work.map(({ tool, input }) => [tool, input]));
  if (work.length !== expected.length) return shown;
  if (!work.every((call, index) => isAsExpected(call, expected[index]))) return shown;
  if (expected.length < 2) return calls.length === work.length ? null : 'a list for one wish';
  const todos = (calls[0]?.input as { todos?: Json[] } | undefined)?.todos;
  return calls[0]?.tool === 'todo_write' && todos?.length === expected.length
    ? null
    : 'no to-do list of that many items first';
}

describe.each([nativeCalls, reactText])(
  '60 prompts written before the rules, $name',
  (protocol) => {
    it(`at least ${LEAST} choose the right tools and arguments`, async () => {
      const misses: string[] = [];
      for (const { id, prompt, expected } of rows) {
        const { calls } = await rehearse(prompt, { model: offlineModel(), protocol });
        const miss = judge(calls, expected);
        if (miss !== null) misses.push(`${id} ${prompt}\n    ${miss}`);
      }
      const passed = rows.length - misses.length;
      console.log(`offline prompts (${protocol.name}): ${passed} of ${rows.length}`);
      expect(rows).toHaveLength(60);
      expect(passed, `misses:\n${misses.join('\n')}`).toBeGreaterThanOrEqual(LEAST);
    });
  },
);
