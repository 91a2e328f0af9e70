import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/tools/define-tool.ts';
import { createTodoWrite } from '../../src/tools/todo-write/todo-write.ts';
import { validateInput } from '../../src/tools/validate-input.ts';

describe('properties with the names of what every object inherits', () => {
  const toolOf = (input: z.ZodType) =>
    defineTool({
      name: 'race',
      description: { zh: '赛', en: 'Races.' },
      input,
      execute: async () => 'ok',
    });
  const names = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf'];

  it.each(names)('%s may be left out, is required, and is given', async (name) => {
    const optional = toolOf(z.strictObject({ season: z.number(), [name]: z.string().optional() }));
    const season = { season: 2024 };
    expect(await validateInput(optional, season, 'en')).toStrictEqual({ ok: true, value: season });
    const given = { ...season, [name]: 'ferrari' };
    expect(await validateInput(optional, given, 'en')).toStrictEqual({ ok: true, value: given });
    expect(await validateInput(optional, { ...season, [name]: 1 }, 'en')).toMatchObject({
      ok: false,
    });
    for (const input of [z.object({ [name]: z.unknown() }), z.object({ [name]: z.string() })]) {
      const refused = await validateInput(toolOf(input), {}, 'en');
      expect(refused).toMatchObject({ ok: false, message: expect.stringContaining(`- ${name}: `) });
    }
    const nested = toolOf(
      z.object({ list: z.array(z.object({ [name]: z.string().default('x') })) }),
    );
    expect(await validateInput(nested, { list: [{}] }, 'en')).toStrictEqual({
      ok: true,
      value: { list: [{ [name]: 'x' }] },
    });
  });

  it('__proto__ is refused when the tool is made: zod would neither check nor give it', () => {
    expect(() => toolOf(z.object({ ['__proto__']: z.string() }))).toThrow(
      'Tool "race": input must not have a property "__proto__", which zod does not check.',
    );
  });
});

describe('validateInput', () => {
  const tool = createTodoWrite();

  it('gives a valid input back', async () => {
    const input = { todos: [{ content: 'a', status: 'pending' }] };
    expect(await validateInput(tool, input, 'en')).toEqual({ ok: true, value: input });
  });

  it('names each path, what is wrong there and what is allowed', async () => {
    const input = { todos: [{ content: '', status: 'done', id: 1 }] };
    const validated = await validateInput(tool, input, 'en');
    if (validated.ok) throw new Error('accepted');
    const lines = validated.message.split('\n');
    expect(lines[0]).toBe(
      'The arguments of todo_write are not valid, so it did not run. Correct them and call it again:',
    );
    expect(lines.slice(1).sort()).toEqual([
      '- todos[0].content: it must not be empty or invisible (allowed: string 1…500)',
      '- todos[0].status: Invalid option: expected one of "pending"|"in_progress"|"completed" (allowed: "pending" | "in_progress" | "completed")',
      expect.stringMatching(/^- todos\[0\]: Unrecognized key: "id" \(allowed: \{ "content": /u),
    ]);
  });

  it('says it in Chinese to a model that is addressed in Chinese', async () => {
    const validated = await validateInput(tool, { todos: '[]' }, 'zh');
    expect(validated).toMatchObject({
      ok: false,
      message: expect.stringMatching(
        /^todo_write 的参数不符合要求.*\n- todos：.*（允许：.*直接写值本身，不要写成装着它的字符串）$/u,
      ),
    });
  });

  it.each([
    [{}, '- todos: ', 'it is required'],
    [[], '- (the whole input): ', 'the outermost value is one object, not an array'],
    ['{"todos":[]}', '- (the whole input): ', 'write the value itself, not a string that holds it'],
  ])('helps with %j', async (input, start, hint) => {
    const validated = await validateInput(tool, input, 'en');
    if (validated.ok) throw new Error('accepted');
    const line = validated.message.split('\n')[1];
    expect(line?.startsWith(start)).toBe(true);
    expect(line).toContain(hint);
  });

  it('names at most eight problems and counts the rest', async () => {
    const input = { todos: Array.from({ length: 12 }, () => null) };
    const validated = await validateInput(tool, input, 'en');
    if (validated.ok) throw new Error('accepted');
    expect(validated.message.split('\n')).toHaveLength(10);
    expect(validated.message.endsWith('- and 4 more')).toBe(true);
  });

  it('refuses when the schema itself throws', async () => {
    const broken = defineTool({
      name: 'broken',
      description: { zh: 'x', en: 'x' },
      input: z.strictObject({ a: z.string().refine(() => JSON.parse('{') === 1) }),
      execute: async () => '',
    });
    expect(await validateInput(broken, { a: 'x' }, 'en')).toMatchObject({
      ok: false,
      message: expect.stringContaining('could not be checked'),
    });
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('the directory is down')), 'could not be checked'],
    ['says no', async () => false, 'unknown person'],
  ])('waits for a schema that looks something up: it %s', async (_, check, words) => {
    const message = 'unknown person';
    const looking = defineTool({
      name: 'looking',
      description: { zh: 'x', en: 'x' },
      input: z.strictObject({ a: z.string().refine(check, message) }),
      execute: async () => '',
    });
    expect(await validateInput(looking, { a: 'x' }, 'en')).toMatchObject({
      ok: false,
      message: expect.stringContaining(words),
    });
  });
});
