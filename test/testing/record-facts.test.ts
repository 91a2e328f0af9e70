import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createAgent } from '../../src/run/create-agent.ts';
import {
  callOf,
  checkProperties,
  hostWorlds,
  never,
  recordFacts,
  scriptedModel,
  starts,
} from '../../src/testing/index.ts';
import { defineTool } from '../../src/tools/define-tool.ts';

const input = { amount: 900 };

/** A tool whose look-up answers this, or throws. */
const toolThat = (inspectFacts: (found: { amount: number }) => unknown) =>
  defineTool({
    name: 'pay',
    description: { zh: '付', en: 'Pays.' },
    input: z.object({ amount: z.number() }),
    inspectFacts: async (found) => inspectFacts(found) as object,
    execute: async () => 'paid',
  });

/** The facts of the first variant, or the code of its error. */
async function recorded(tool: ReturnType<typeof toolThat>) {
  const [call] = await recordFacts([callOf('pay', { input })], [tool]);
  const [variant] = call?.facts ?? [];
  if (variant === undefined) throw new Error('there are no facts');
  return 'error' in variant ? variant.error.code : variant.facts;
}

/** Whether a real run can use them: it starts the tool, as the policy allows everything. */
async function isUsedByRun(tool: ReturnType<typeof toolThat>) {
  const model = scriptedModel([{ calls: [{ name: 'pay', arguments: input }] }, 'done']);
  const permissions = { policies: { pay: 'allow' as const } };
  const run = createAgent({ model, tools: [tool], permissions }).start('x');
  await run.outcome;
  return run.trace.some(({ kind }) => kind === 'tool');
}

describe('recordFacts: what the real look-up finds, as in a run', () => {
  it.each<[string, (found: { amount: number }) => unknown, object]>([
    ['facts of one’s own', ({ amount }) => ({ amount }), { amount: 900 }],
    ['none', () => ({}), {}],
    ['nothing', () => undefined, {}],
    ['null', () => null, {}],
    ['a flag left undefined', () => ({ outputExists: undefined }), {}],
    ['an identity', () => ({ identity: { size: 1 } }), { identity: { size: 1 } }],
    ['no identity', () => ({ identity: null }), { identity: null }],
  ])('used: %s', async (_, inspectFacts, facts) => {
    expect(await recorded(toolThat(inspectFacts))).toEqual(facts);
    expect(await isUsedByRun(toolThat(inspectFacts))).toBe(true);
  });

  it.each<[string, () => unknown, string]>([
    [
      'what it throws',
      () => {
        throw new Error('no database');
      },
      'facts_unavailable',
    ],
    ['a flag that is no flag', () => ({ outputExists: 'yes' }), 'facts_invalid'],
    ['a text', () => 'all clear', 'facts_invalid'],
    ['a list', () => [], 'facts_invalid'],
    ['an identity that is a text', () => ({ identity: 'a' }), 'facts_invalid'],
    ['what is no JSON', () => ({ amount: Number.NaN }), 'facts_invalid'],
    ['a fact left undefined', () => ({ amount: undefined }), 'facts_invalid'],
  ])('a failure: %s', async (_, inspectFacts, code) => {
    expect(await recorded(toolThat(inspectFacts))).toBe(code);
    expect(await isUsedByRun(toolThat(inspectFacts))).toBe(false);
  });

  it('a tool that is not among them', async () => {
    const [call] = await recordFacts([callOf('pay', { input })], []);
    const error = { code: 'facts_unavailable', message: 'There is no tool named pay.' };
    expect(call?.facts).toMatchObject([{ error }]);
  });

  it('of the inputs that hooks leave, where they were recorded before', async () => {
    const part = { reasons: [], context: [] };
    const hookAnswers = [
      { ...part, verdict: 'proceed' as const, input: { amount: 5 } },
      { ...part, verdict: 'failed' as const, input },
    ];
    const tool = toolThat(({ amount }) => ({ amount }));
    const [call] = await recordFacts([callOf('pay', { input, hookAnswers })], [tool]);
    expect(call?.facts).toEqual([{ name: 'amount 5', facts: { amount: 5 } }]);
  });

  it('a call whose look-up fails starts on no path', async () => {
    const broken = toolThat(() => {
      throw new Error('no database');
    });
    const calls = await recordFacts([callOf('pay', { input })], [broken]);
    const part = { hooks: [], calls, callsPerReply: 1 } as const;
    const [one] = hostWorlds({ ...part, policies: { pay: 'allow' } });
    if (one === undefined) throw new Error('there is no world');
    const { results } = checkProperties(one.world, [never('paid', starts({ tool: 'pay' }))]);
    expect(results).toMatchObject([{ counterexample: null, applied: true }]);
  });
});
