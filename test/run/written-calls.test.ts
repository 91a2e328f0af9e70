import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/tools/define-tool.ts';
import { answer, outcomes, said, scriptedAgent } from './support.ts';

const written = '<tool_call>\n{"name": "note", "arguments": {"text": "a"}}\n</tool_call>';

describe('a tool call that is written as text', () => {
  it('runs where it can be read, and the model is told', async () => {
    const { agent, model, started } = scriptedAgent([{ text: written }, answer('noted')]);
    expect(await agent.start('task').outcome).toMatchObject({ status: 'done', answer: 'noted' });
    expect(started).toEqual(['a']);
    expect(said(model.requests[1], 'tool')).toEqual([
      expect.stringMatching(/^\(You wrote this call as text; it was read as a tool call\./u),
    ]);
  });

  it('is sent back where it cannot be read, as often as repairs allow, and is never the answer', async () => {
    const text = '<function=note>\n<parameter=text>\na\n</parameter>\n</function>';
    const { agent, model, started } = scriptedAgent([{ text }, { text }], {
      limits: { repairs: 1 },
    });
    expect(await agent.start('task').outcome).toMatchObject({
      status: 'suspended',
      reason: 'limit.repairs',
    });
    expect(started).toEqual([]);
    expect(said(model.requests[1], 'user').at(-1)).toMatch(
      /^Your last reply wrote a tool call as text, so nothing ran\./u,
    );
  });

  it('needs the permission of any other', async () => {
    const { agent, started } = scriptedAgent([{ text: written }, answer('no')], {
      permissions: { policies: { note: 'deny' } },
    });
    expect(outcomes(await agent.start('task').outcome)).toEqual({ '1.0': 'denied' });
    expect(started).toEqual([]);
  });
});

describe('arguments that nest deep', () => {
  const tool = defineTool({
    name: 'note',
    description: { zh: '记一笔', en: 'note' },
    input: z.strictObject({ text: z.unknown() }),
    execute: async () => 'ok',
  });
  const nested = (depth: number) => `{"text":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

  it.each([
    [96, 'ok'],
    [97, 'ok'],
    [98, 'invalid_arguments'],
    [100, 'invalid_arguments'],
    [102, 'invalid_arguments'],
    [512, 'invalid_arguments'],
    [513, 'invalid_arguments'],
  ])('%i levels: %s, in both protocols', async (depth, outcome) => {
    const native = [{ calls: [{ name: 'note', arguments: nested(depth) }] }, answer('end')];
    const asText = [
      { text: `Action: note\nAction Input: ${nested(depth)}` },
      { text: 'Final Answer: end' },
    ];
    for (const [protocol, steps] of [
      ['native-calls', native],
      ['react-text', asText],
    ] as const) {
      const { agent } = scriptedAgent(steps, { tools: [tool], protocol });
      const ended = await agent.start('task').outcome;
      expect(ended).toMatchObject({ status: 'done', answer: 'end' });
      expect(outcomes(ended)).toEqual({ '1.0': outcome });
      const [observation] = ended.messages.filter(({ role }) => role === 'observation');
      const told =
        outcome === 'ok' ? 'ok' : 'The arguments are nested too deeply. Write a flatter object.';
      expect(observation).toMatchObject({ content: told });
    }
  });
});
