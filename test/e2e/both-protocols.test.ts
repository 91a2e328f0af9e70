import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { inWorkshop } from './workshop.ts';

const CASES = new URL('../cases/offline-prompts.json', import.meta.url);
const prompts = JSON.parse(readFileSync(CASES, 'utf8')) as {
  readonly rows: readonly { readonly id: string; readonly prompt: string }[];
};

/** What a prompt came to, without the ids and times of the run. */
async function resultsIn(protocol: 'native-calls' | 'react-text') {
  const results: unknown[] = [];
  await inWorkshop(
    async ({ work }) => {
      for (const { id, prompt } of prompts.rows) {
        const { outcome, observations, questions, answer } = await work(prompt);
        results.push({
          id,
          status: outcome.status,
          answer,
          calls: outcome.messages.flatMap((message) =>
            message.role === 'assistant'
              ? message.calls.map(({ id: callId, tool, input }) => ({ callId, tool, input }))
              : [],
          ),
          outcomes: observations.map((seen) => seen.outcome),
          reasons: questions.map(({ reasons }) => reasons),
          todos: outcome.todos,
        });
      }
    },
    { agent: { protocol, permissions: { policies: { echo: 'allow' } } } },
  );
  return results;
}

it('the same prompts give the same calls, outcomes and answers in both protocols', async () => {
  const [native, text] = await Promise.all([resultsIn('native-calls'), resultsIn('react-text')]);
  expect(native).toHaveLength(prompts.rows.length);
  expect(text).toEqual(native);
  expect(native.every((result) => (result as { status: string }).status === 'done')).toBe(true);
});
