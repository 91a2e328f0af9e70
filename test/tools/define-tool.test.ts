import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, type ToolDefinition, toToolSpec } from '../../src/tools/define-tool.ts';
import { createEcho } from '../../src/tools/echo/echo.ts';
import { createToolContext, runTool } from './tool-context.ts';

const definition: ToolDefinition<{ text: string }> = {
  name: 'shout',
  description: { zh: '大写', en: 'Upper case' },
  input: z.strictObject({ text: z.string() }),
  execute: async ({ text }) => text.toUpperCase(),
};

describe('defineTool', () => {
  it('fills in what is left out with the cautious value', async () => {
    const tool = defineTool(definition);
    expect(tool).toMatchObject({
      textField: null,
      safeToRepeat: false,
      oncePerReply: false,
      timeout: 60_000,
    });
    expect(await tool.inspectFacts({ text: 'x' }, createToolContext())).toEqual({});
  });

  const wrong: readonly (readonly [string, Partial<ToolDefinition<{ text: string }>>, RegExp])[] = [
    ['no name', { name: '' }, /^Tool "": a name has 1 to 64/u],
    ['a name with a space', { name: 'my tool' }, /^Tool "my tool": a name has/u],
    ['a long name', { name: 'x'.repeat(65) }, /a name has 1 to 64/u],
    ['an empty description', { description: { zh: ' ', en: 'x' } }, /description\.zh/u],
    ['a zero timeout', { timeout: 0 }, /timeout must be whole milliseconds from 1 to 2147483647/u],
    ['an endless timeout', { timeout: Number.POSITIVE_INFINITY }, /timeout must be/u],
    [
      'a text field that is not there',
      { textField: 'words' },
      /textField "words" is not a string/u,
    ],
    ['no execute', { execute: undefined as never }, /execute must be a function/u],
    [
      'a schema of no object',
      { input: z.string() as never },
      /input must be the schema of one obj/u,
    ],
    ['a schema without JSON', { input: z.strictObject({ d: z.date() }) as never }, /JSON Schema/u],
    ['no schema', { input: {} as never }, /input must be a zod schema/u],
  ];
  it.each(wrong)('refuses %s and says so', (_, change, message) => {
    expect(() => defineTool({ ...definition, ...change })).toThrowError(message);
    expect(() => defineTool({ ...definition, ...change })).toThrowError(
      expect.objectContaining({ code: 'invalid_tool' }),
    );
  });
});

describe('toToolSpec', () => {
  it('describes tool and fields in the language asked for', () => {
    expect(toToolSpec(createEcho(), 'zh')).toEqual({
      name: 'echo',
      description: '原样返回给出的文字，用来检查流程是否通畅。',
      inputSchema: {
        type: 'object',
        properties: { text: { type: 'string', description: '要返回的文字' } },
        required: ['text'],
        additionalProperties: false,
      },
      textField: 'text',
      oncePerReply: false,
    });
    expect(toToolSpec(createEcho(), 'en').inputSchema.properties).toEqual({
      text: { type: 'string', description: 'The text to return' },
    });
  });
});

describe('echo', () => {
  it('gives back exactly what it was given', async () => {
    const text = ' 原样\n\t"quoted" \u{1f600} ';
    expect(await runTool(createEcho(), { text })).toEqual({ content: text });
  });
});
