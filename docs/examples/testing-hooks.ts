import assert from 'node:assert/strict';
import test from 'node:test';
import { createAgent, createHookRunner, defineHook } from 'agenthub';
import { scriptedModel } from 'agenthub/testing';
import { largeRefunds, policies, refund } from './refund.ts';

test('PreToolUse hooks, run on a call outside of any run', async () => {
  // As an agent would: matchers, order, timeouts, and the check of a replaced input.
  const run = createHookRunner({ hooks: [largeRefunds], tools: [refund] });
  const small = await run({ tool: 'refund', input: { order: 'A-1', amount: 500 } });
  assert.equal(small.verdict, 'proceed');
  const large = await run({ tool: 'refund', input: { order: 'A-1', amount: 501 } });
  assert.equal(large.verdict, 'ask');
  assert.deepEqual(large.reasons, [{ source: 'large-refunds', text: 'a refund above 500' }]);
});

test('a hook that crashes closes its gate', async () => {
  const broken = defineHook({
    name: 'broken',
    event: 'PreToolUse',
    run: () => {
      throw new Error('no database');
    },
  });
  const call = { name: 'refund', arguments: { order: 'A-1', amount: 5 } };
  const model = scriptedModel([{ calls: [call] }, 'It did not work.']);
  const tools = [refund];
  const run = createAgent({ model, tools, hooks: [broken], permissions: { policies } }).start('x');
  await run.outcome;
  const [hook] = run.trace.filter((step) => step.kind === 'hook');
  assert.equal(hook?.verdict, 'failed');
  assert.equal(hook?.error?.code, 'hook_crashed');
  assert.equal(run.trace.filter(({ kind }) => kind === 'tool').length, 0);
});

test('a Stop hook keeps the run going until the answer has what it needs', async () => {
  const thanks = defineHook({
    name: 'thanks',
    event: 'Stop',
    run: ({ answer }) =>
      answer.includes('Thank you')
        ? { decision: 'allow' }
        : { decision: 'block', reason: 'Thank the customer.' },
  });
  const model = scriptedModel(['Done.', 'Done. Thank you.']);
  const outcome = await createAgent({ model, hooks: [thanks] }).start('x').outcome;
  assert.ok(outcome.status === 'done' && outcome.answer === 'Done. Thank you.');
  model.assertDone();
});
