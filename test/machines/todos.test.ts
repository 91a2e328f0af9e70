import { describe, expect, it } from 'vitest';
import type { Json } from '../../machines/vocabulary/json.ts';
import type { Message, Outcome } from '../../machines/vocabulary/messages.ts';
import { deriveTodos } from '../../machines/vocabulary/todos.ts';
import { toolCall } from './doubles.ts';

const list = (...todos: Json[]) => ({ todos });

describe('deriveTodos', () => {
  const write = (id: string, input: Json, outcome?: Outcome) =>
    toolCall(id, 'todo_write', input, outcome);
  const done = (content: string, ...evidence: string[]) => ({
    content,
    status: 'completed',
    evidence,
  });

  it('is the last list that was written', () => {
    const messages = [
      ...write('1.0', list({ content: 'a', status: 'pending' })),
      ...write('2.0', list({ content: 'b', status: 'in_progress' })),
    ];
    expect(deriveTodos(messages)).toEqual([
      { content: 'b', status: 'in_progress', evidence: [], verified: false },
    ]);
    expect(deriveTodos([])).toEqual([]);
    expect(deriveTodos([...messages, ...write('3.0', list())])).toEqual([]);
  });

  it('is the list that was executed, where a hook made another of it', () => {
    const [asked, observed] = write('1.0', list({ content: 'a', status: 'pending' }));
    const input = list({ content: 'b', status: 'pending' });
    const messages = [asked, { ...observed, input }] as Message[];
    expect(deriveTodos(messages).map(({ content }) => content)).toEqual(['b']);
  });

  it.each(['denied', 'blocked', 'invalid_arguments', 'error', 'unknown', 'timeout'] as const)(
    'a list that ended %s is none',
    (outcome) => {
      const messages = [
        ...write('1.0', list({ content: 'a', status: 'pending' })),
        ...write('2.0', list({ content: 'b', status: 'pending' }), outcome),
      ];
      expect(deriveTodos(messages).map(({ content }) => content)).toEqual(['a']);
    },
  );

  it('a tick is verified only by calls that ended ok, and never by a list', () => {
    const messages = [
      ...toolCall('1.0', 'image_scaling', {}, 'ok'),
      ...toolCall('1.1', 'image_scaling', {}, 'denied'),
      ...write('2.0', list()),
      ...write(
        '3.0',
        list(
          done('proven', '1.0'),
          done('without'),
          done('refused', '1.1'),
          done('half', '1.0', '1.1'),
          done('made up', '9.9'),
          done('by a list', '2.0'),
          { content: 'not done', status: 'pending', evidence: ['1.0'] },
        ),
      ),
    ];
    const verified = deriveTodos(messages).map(({ content, verified: is }) => [content, is]);
    expect(Object.fromEntries(verified)).toEqual({
      proven: true,
      without: false,
      refused: false,
      half: false,
      'made up': false,
      'by a list': false,
      'not done': false,
    });
  });

  it.each([null, 7, 'list', [], {}, { todos: null }, { todos: 'a' }, { todos: { length: 1 } }])(
    'an input that is no list (%j) is an empty one',
    (input) => expect(deriveTodos(write('1.0', input as Json))).toEqual([]),
  );

  it('an entry that is none is left out', () => {
    const input = list(
      null,
      7,
      'a',
      [],
      { content: 'b' },
      { content: 7, status: 'pending' },
      {
        content: 'c',
        status: 'finished',
      },
      { content: 'd', status: 'pending', evidence: 'none' },
    );
    expect(deriveTodos(write('1.0', input)).map(({ content }) => content)).toEqual(['d']);
  });
});
