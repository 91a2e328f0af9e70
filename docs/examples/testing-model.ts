import assert from 'node:assert/strict';
import test from 'node:test';
import { createAgent } from 'agenthub';
import { hold, scriptedModel } from 'agenthub/testing';
import { policies, refund } from './refund.ts';

test('a run is cancelled while the model is asked', async () => {
  const held = hold();
  const model = scriptedModel([{ text: 'too late', hold: held }]);
  const run = createAgent({ model }).start('Hello');
  await held.reached; // the request is there, and its reply is kept back
  run.cancel({ by: 'test' });
  assert.equal((await run.outcome).status, 'cancelled');
});

test('a model that is away suspends the run, which goes on later', async () => {
  const model = scriptedModel([
    { error: { code: 'unavailable', retryable: true } },
    { text: 'Here I am.', usage: { inputTokens: 12, outputTokens: 4 } },
  ]);
  const run = createAgent({ model }).start('Hello');
  const first = await run.outcome;
  assert.ok(first.status === 'suspended' && first.reason === 'model_unavailable');
  assert.deepEqual(run.resume(), { accepted: true });
  assert.equal((await run.outcome).status, 'done');
});

test('what the model is asked can be looked at, and decide its reply', async () => {
  const model = scriptedModel([
    {
      // What this throws fails the request, and assertDone throws it again.
      expect: ({ tools }) =>
        assert.deepEqual(
          tools?.map(({ name }) => name),
          ['refund'],
        ),
      calls: [{ name: 'refund', arguments: { order: 'A-1', amount: 5 } }],
    },
    ({ messages }) => `The tool said: ${messages.at(-1)?.content}`,
  ]);
  const agent = createAgent({ model, tools: [refund], permissions: { policies } });
  const outcome = await agent.start('Refund A-1').outcome;
  assert.ok(outcome.status === 'done' && outcome.answer === 'The tool said: refunded 5 for A-1');
  model.assertDone();
});

test('a request beyond the script fails the run, and assertDone says so', async () => {
  const model = scriptedModel([]);
  const outcome = await createAgent({ model }).start('Hello').outcome;
  assert.equal(outcome.status, 'failed');
  assert.throws(() => model.assertDone(), /request 1 was not expected/u);
});
