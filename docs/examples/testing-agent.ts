import assert from 'node:assert/strict';
import test from 'node:test';
import { createAgent } from 'agenthub';
import { scriptedModel } from 'agenthub/testing';
import { largeRefunds, policies, refund } from './refund.ts';

/** The agent under test, with a model that calls the tool once and then answers. */
function agentFor(amount: number) {
  const model = scriptedModel([
    { calls: [{ name: 'refund', arguments: { order: 'A-1', amount } }] },
    'The money is on its way.',
  ]);
  const agent = createAgent({
    model,
    tools: [refund],
    hooks: [largeRefunds],
    permissions: { policies },
  });
  return { agent, model };
}

test('a small refund is paid without a question', async () => {
  const { agent, model } = agentFor(20);
  const run = agent.start('Please refund order A-1.');
  const outcome = await run.outcome;
  assert.equal(outcome.status, 'done');
  assert.ok(outcome.status === 'done' && outcome.answer === 'The money is on its way.');
  // The trace is what happened, in order.
  assert.deepEqual(
    run.trace.map(({ kind }) => kind),
    ['model', 'hook', 'decision', 'tool', 'model'],
  );
  const [start] = run.trace.filter((step) => step.kind === 'tool');
  assert.equal(start?.outcome, 'ok');
  assert.equal(start?.content, 'refunded 20 for A-1');
  // What the model was told of it.
  assert.match(model.requests[1]?.messages.at(-1)?.content ?? '', /refunded 20/u);
  // Fails if a step of the script is left, or a request came that it does not have.
  model.assertDone();
});

test('a large refund waits for a person, who denies it', async () => {
  const { agent, model } = agentFor(900);
  const run = agent.start('Please refund order A-1.');
  for await (const event of run) {
    if (event.type !== 'permission.requested') continue;
    const [question] = event.questions;
    assert.equal(question?.tool, 'refund');
    assert.deepEqual(question?.missing, ['hook']);
    const answer = run.deny(question?.callId ?? '', 'not without the invoice');
    assert.deepEqual(answer, { accepted: true });
  }
  assert.equal((await run.outcome).status, 'done');
  assert.equal(run.trace.filter(({ kind }) => kind === 'tool').length, 0);
  assert.match(model.requests[1]?.messages.at(-1)?.content ?? '', /not without the invoice/u);
  model.assertDone();
});
