import { describe, expect, it } from 'vitest';
import { defineHook } from '../../src/hooks/define-hook.ts';
import { scriptedAgent } from './support.ts';

const hook = (matcher: string) =>
  defineHook({
    name: 'gate',
    event: 'PreToolUse',
    matcher,
    run: () => ({ decision: 'block', reason: 'no' }),
  });

describe('policies and hooks that name a tool', () => {
  it.each(['', '*', 'note', ' note ', '^no', 'note$', 'n.te'])(
    'the matcher "%s" selects one',
    (matcher) => {
      expect(() => scriptedAgent([], { hooks: [hook(matcher)] })).not.toThrow();
    },
  );

  it.each([
    ['nota', 'hooks.gate: matcher: there is no tool nota'],
    ['note|nota', 'hooks.gate: matcher: there is no tool nota'],
    ['note,Note', 'hooks.gate: matcher: there is no tool Note'],
    ['^other', 'hooks.gate: matcher: ^other selects none of the tools'],
  ])('the matcher "%s" does not, and is refused: the gate would be missing', (matcher, problem) => {
    expect(() => scriptedAgent([], { hooks: [hook(matcher)] })).toThrow(
      expect.objectContaining({
        code: 'invalid_options',
        message: `${problem}\nThere are: note.`,
      }),
    );
  });

  it('a policy of a tool that there is not is refused', () => {
    const permissions = { policies: { note: 'ask', nota: 'deny' } } as const;
    expect(() => scriptedAgent([], { permissions })).toThrow(
      expect.objectContaining({
        code: 'invalid_options',
        message: 'permissions.policies.nota: there is no tool of this name\nThere are: note.',
      }),
    );
  });

  it('an option that there is not is refused', () => {
    expect(() => scriptedAgent([], { polices: { note: 'deny' } } as never)).toThrow(
      /^polices: there is no such option. There are: model, protocol, .+permissions/u,
    );
  });

  it('a shipped policy needs no tool', () => {
    expect(() => scriptedAgent([], { permissions: {} })).not.toThrow();
  });
});
