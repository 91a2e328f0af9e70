import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drive } from '../../src/cli/drive.ts';
import type { AgentOptions } from '../../src/run/agent.types.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import { hold, type ScriptedStep } from '../../src/testing/scripted-model.ts';
import { callNote, outcomes, scriptedAgent } from '../run/support.ts';
import { type FakeIoOptions, fakeIo } from './fake-io.ts';

const asks = { permissions: { policies: { note: 'ask' as const } } };
const say = (text: string, inputTokens = 1_180, outputTokens = 88): ScriptedStep => ({
  text,
  usage: { inputTokens, outputTokens },
});

function start(
  steps: readonly ScriptedStep[],
  options: {
    agent?: Partial<AgentOptions>;
    io?: FakeIoOptions;
    drive?: Partial<Parameters<typeof drive>[2]>;
  } = {},
) {
  const { agent, model, started } = scriptedAgent(steps, options.agent);
  const person = fakeIo({ tty: true, ...options.io });
  const run = agent.start('task');
  const driven = drive(run, person.io, {
    locale: 'en',
    grants: [],
    asks: options.io?.tty === false ? 'deny' : 'terminal',
    quiet: false,
    times: false,
    ...options.drive,
  }).then((driven) => {
    if (driven.end !== 'rest') throw new Error(`the run did not come to rest: ${driven.end}`);
    return driven;
  });
  return { person, run, driven, model, started };
}

describe('the live part of a terminal', () => {
  it('shows state, turn, tokens and time, the answer as it comes, and the to-do list below', async () => {
    const held = hold();
    const todos = [
      { content: 'take a note', status: 'in_progress' },
      { content: '告诉用户', status: 'pending' },
    ];
    const write: ScriptedStep = {
      calls: [{ name: 'todo_write', arguments: { todos }, id: 'a' }],
      usage: { inputTokens: 1_180, outputTokens: 88 },
    };
    const { createTodoWrite } = await import('../../src/tools/todo-write/todo-write.ts');
    const last: ScriptedStep = { text: '', hold: held, usage: null };
    const { person, run, driven } = start([write, last], {
      agent: { tools: [createTodoWrite()] as never },
      io: { columns: 60 },
    });
    await held.reached;
    await person.idle();
    person.tick(3_400);
    expect(person.screen.text).toBe(
      [
        'model  scripted · 1 call · 1.2k→88 tok',
        'tool   todo_write {"todos":[{"content":"take a note",… · ok',
        'callModel · turn 2 · 1.2k→88 tok · 3.4s',
        'To do 0/2',
        '  [>] take a note',
        '  [ ] 告诉用户',
      ].join('\n'),
    );
    run.cancel();
    await driven;
    expect(person.screen.text).toBe(
      [
        'model  scripted · 1 call · 1.2k→88 tok',
        'tool   todo_write {"todos":[{"content":"take a note",… · ok',
        'model  scripted · cancelled',
        'To do 0/2',
        '  [>] take a note',
        '  [ ] 告诉用户',
      ].join('\n'),
    );
    expect(person.tickers.size).toBe(0);
  });

  it('never wraps and leaves nothing behind, whatever is written', async () => {
    const words = fc.string({ unit: 'binary', maxLength: 120 });
    await fc.assert(
      fc.asyncProperty(
        words,
        fc.array(
          words.filter((text) => text.length > 0),
          { minLength: 1, maxLength: 3 },
        ),
        fc.integer({ min: 24, max: 60 }),
        async (answer, notes, columns) => {
          const steps = [callNote(...notes), say(`.${answer}`)];
          const watched = start(steps, { io: { columns, rows: 8 } });
          for await (const _ of watched.run) watched.person.tick();
          await watched.driven;
          const unwatched = start(steps, { io: { columns, rows: 8 } });
          await unwatched.driven;
          expect(watched.person.screen.wraps).toBe(0);
          expect(watched.person.rawErr()).toContain('callModel');
          expect(watched.person.screen.text).toBe(unwatched.person.screen.text);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('shows what the model writes only as printable text', async () => {
    const { person, run, driven } = start([say('safe \u001b[2J\u202e text, more than one piece')]);
    let seen = '';
    for await (const event of run) {
      person.tick();
      if (event.type === 'delta') seen = person.screen.text;
    }
    await driven;
    expect(seen).toContain('  safe \\u{1b}[2J\\u{202e} text, more');
  });
});

describe('without a terminal', () => {
  const plain = { io: { tty: false } };

  it('writes one plain line per step and no cursor codes', async () => {
    const { person, driven } = start([callNote('milk'), say('noted')], plain);
    expect((await driven).exitCode).toBe(0);
    expect(person.rawErr()).toBe(
      [
        'model  scripted · 1 call · 10→2 tok',
        'tool   note {"text":"milk"} · ok',
        'model  scripted · 1.2k→88 tok',
        '',
      ].join('\n'),
    );
    expect(person.tickers.size).toBe(0);
  });

  it('denies what it would have asked, says so, and exits with 3', async () => {
    const { person, driven, started } = start([callNote('milk'), say('not noted')], {
      ...plain,
      agent: asks,
    });
    const { exitCode, outcome } = await driven;
    expect([exitCode, started, outcomes(outcome)]).toEqual([3, [], { '1.0': 'denied' }]);
    expect(person.err()).toContain(
      'ask    note · Each use of this tool needs a person to approve it',
    );
    expect(person.err()).toContain('deny   note · denied: nobody could be asked');
    expect(outcome.messages.find(({ role }) => role === 'observation')).toMatchObject({
      reasons: [
        { code: 'person_denied', en: 'The call was not approved: nobody could be asked' },
        { code: 'use_not_approved' },
      ],
    });
  });

  it('runs what was granted beforehand, recorded as given by the command line', async () => {
    const { run, driven, started } = start([callNote('milk'), say('noted')], {
      ...plain,
      agent: asks,
      drive: { grants: ['use'] },
    });
    expect((await driven).exitCode).toBe(0);
    expect(started).toEqual(['milk']);
    expect(run.trace.find(({ kind }) => kind === 'person')).toMatchObject({
      answer: 'granted',
      by: 'command line',
      approvals: ['use'],
    });
  });

  it('a grant for something else removes nothing', async () => {
    const { driven, started } = start([callNote('milk'), say('no')], {
      ...plain,
      agent: asks,
      drive: { grants: ['outside', 'overwrite'] },
    });
    expect((await driven).exitCode).toBe(3);
    expect(started).toEqual([]);
  });

  it('writes nothing when quiet, and cursor codes neither with forced colours nor on a dumb terminal', async () => {
    const steps = [callNote('milk'), say('noted')];
    const quiet = start(steps, { ...plain, drive: { quiet: true } });
    await quiet.driven;
    expect(quiet.person.rawErr()).toBe('');
    const forced = start(steps, { io: { tty: false, env: { FORCE_COLOR: '1' } } });
    await forced.driven;
    expect(forced.person.rawErr()).toMatch(/\u001b\[2mmodel/u);
    expect(forced.person.rawErr()).not.toMatch(/\u001b\[[\d;]*[A-HJK]/u);
    const dumb = start(steps, { io: { tty: true, env: { TERM: 'dumb' } } });
    await dumb.driven;
    expect(dumb.person.rawErr()).not.toContain('\u001b');
  });

  it('draws without colours where they are not wanted', async () => {
    const env = { NO_COLOR: '1', FORCE_COLOR: '1' };
    const { person, run, driven } = start([callNote('milk'), say('noted')], { io: { env } });
    for await (const _ of run) person.tick();
    await driven;
    expect(person.rawErr()).toContain('\u001b[J');
    expect(person.rawErr()).not.toMatch(/\u001b\[[\d;]*m/u);
  });
});

describe('a question at the terminal', () => {
  const KEYS = 'y approve once · n deny · Esc deny';

  it('shows the tool, the whole input and every reason', async () => {
    const long = `${'word '.repeat(40)}\u202e end`;
    const { person, driven } = start([callNote(long), say('noted')], { agent: asks });
    await person.said(KEYS);
    const shown = person.err();
    expect(shown).toContain('Permission needed: note');
    expect(shown).toContain(`"text": "${'word '.repeat(40)}\\u{202e} end"`);
    expect(shown).toContain('  - Each use of this tool needs a person to approve it');
    expect(shown).toContain('To approve is to allow: use of this tool');
    person.press('y');
    expect((await driven).exitCode).toBe(0);
  });

  it('y approves once', async () => {
    const { person, run, driven, started } = start(
      [callNote('one'), callNote('two'), say('noted')],
      { agent: asks },
    );
    await person.said(KEYS);
    person.press('y');
    await person.said(KEYS, person.err().length);
    expect(started).toEqual(['one']);
    person.press('Y');
    await driven;
    expect(started).toEqual(['one', 'two']);
    expect(run.trace.filter(({ kind }) => kind === 'person')).toMatchObject([
      { answer: 'granted', by: 'terminal' },
      { answer: 'granted', by: 'terminal' },
    ]);
    expect(person.stdin.isRaw).toBe(false);
    expect(person.stdin.isPaused()).toBe(true);
  });

  it('n denies, and the reason goes to the model', async () => {
    const { person, driven, started, model } = start([callNote('milk'), say('no')], {
      agent: asks,
    });
    await person.said(KEYS);
    person.press('n');
    await person.said('Reason for the denial (may be empty): ');
    person.press('not today\r');
    const { exitCode } = await driven;
    // A person's no is an answer: nobody is missing.
    expect([exitCode, started]).toEqual([0, []]);
    expect(JSON.stringify(model.requests[1])).toContain('not today');
  });

  it('Esc denies without a reason', async () => {
    const { person, driven, started } = start([callNote('milk'), say('no')], { agent: asks });
    await person.said(KEYS);
    person.press('\u001b');
    const { outcome } = await driven;
    expect([started, outcomes(outcome)]).toEqual([[], { '1.0': 'denied' }]);
  });

  it.each([
    ['Enter', '\r'],
    ['a line end', '\n'],
    ['space', ' '],
    ['an arrow', '\u001b[A'],
    ['Tab', '\t'],
    ['another letter', 'j'],
    ['o where there is no page', 'o'],
    ['a paste', 'yes please'],
    ['two keys at once', 'yy'],
    ['Alt-y', '\u001by'],
  ])('%s does nothing', async (_, keys) => {
    const { person, run, driven, started } = start([callNote('milk'), say('no')], { agent: asks });
    await person.said(KEYS);
    person.press(keys);
    await person.idle();
    expect(run.questions).toHaveLength(1);
    person.press('y');
    await driven;
    expect(started).toEqual(['milk']);
  });

  it('what was typed before the question is not an answer to it', async () => {
    const held = hold();
    const asked: ScriptedStep = { ...(callNote('milk') as object), hold: held } as ScriptedStep;
    const { person, run, driven, started } = start([asked, say('no')], { agent: asks });
    await held.reached;
    person.press('y');
    held.release();
    await person.said(KEYS);
    await person.idle();
    expect([run.questions.length, started]).toEqual([1, []]);
    run.cancel();
    await driven;
  });

  it('asks about each call of a batch', async () => {
    const { person, driven, started } = start([callNote('a', 'b'), say('no')], { agent: asks });
    await person.said('2 questions');
    await person.said(KEYS);
    const from = person.err().length;
    person.press('y');
    await person.said(KEYS, from);
    expect(person.err().slice(from)).toContain('"text": "b"');
    expect(started).toEqual([]);
    person.press('n');
    await person.said('may be empty');
    person.press('\r');
    await driven;
    expect(started).toEqual(['a']);
  });

  it('goes when the deadline passes', async () => {
    const { person, driven, started } = start([callNote('milk'), say('too late')], {
      agent: { ...asks, limits: { approvalDeadline: 20 } },
    });
    const { outcome } = await driven;
    expect([started, outcomes(outcome)]).toEqual([[], { '1.0': 'expired' }]);
    expect(person.screen.text).toContain('deny   note · expired');
    expect(person.stdin.isRaw).toBe(false);
  });

  it('is not asked where the answer is no beforehand', async () => {
    const { driven } = start([callNote('milk'), say('no')], {
      agent: asks,
      drive: { asks: 'deny' },
    });
    expect((await driven).exitCode).toBe(3);
  });
});

describe('Ctrl-C', () => {
  it('once cancels the run: 130, and no tool starts', async () => {
    const held = hold();
    const asked = { ...(callNote('milk') as object), hold: held } as ScriptedStep;
    const { person, driven, started } = start([asked]);
    await held.reached;
    person.interrupt();
    const { exitCode, outcome } = await driven;
    held.release();
    expect([exitCode, outcome.status, started]).toEqual([130, 'cancelled', []]);
    expect(person.screen.text).toContain('Cancelling… press Ctrl-C again to leave at once');
    expect(person.exits).toEqual([]);
  });

  it('twice leaves at once', async () => {
    const held = hold();
    const { person, driven } = start([{ text: '', hold: held }]);
    await held.reached;
    person.interrupt();
    person.interrupt();
    expect(person.exits).toEqual([130]);
    await driven;
  });

  it.each([
    ['at the question', ''],
    ['while a reason is written', 'n'],
  ])('%s cancels the run', async (_, before) => {
    const { person, driven, started } = start([callNote('milk')], { agent: asks });
    await person.said('Esc deny');
    if (before !== '') {
      person.press(before);
      await person.said('may be empty');
    }
    person.press('\u0003');
    const { exitCode, outcome } = await driven;
    expect([exitCode, outcome.status, started]).toEqual([130, 'cancelled', []]);
    expect(person.stdin.isRaw).toBe(false);
  });

  it('from outside, while a question is on the screen, cancels too', async () => {
    const { person, driven } = start([callNote('milk')], { agent: asks });
    await person.said('Esc deny');
    person.interrupt();
    expect((await driven).exitCode).toBe(130);
  });
});

describe('a process that is told to leave', () => {
  /** Drives a run of an agent with a store until it is stopped. */
  async function stopped(steps: readonly ScriptedStep[], when: (person: Person) => Promise<void>) {
    const store = memoryStore();
    const { agent, started } = scriptedAgent(steps, { ...asks, store, now: Date.now });
    const person = fakeIo({ tty: true });
    const driven = drive(agent.start('task'), person.io, {
      ...{ locale: 'en', grants: [], asks: 'terminal', quiet: false, times: false },
    });
    await when(person);
    person.stop('SIGHUP');
    return { store, agent, started, person, driven: await driven };
  }
  type Person = ReturnType<typeof fakeIo>;

  it('at a question: it goes from the screen, and the run waits in the store, driven by nobody', async () => {
    const { store, started, person, driven } = await stopped([callNote('milk')], (asked) =>
      asked.said('Esc deny'),
    );
    expect(driven).toEqual({ end: 'stopped', signal: 'SIGHUP', exitCode: 129 });
    expect(person.stdin.isRaw).toBe(false);
    expect(person.screen.text).not.toContain('cancelled');
    expect(started).toEqual([]);
    expect(await store.list()).toMatchObject([{ status: 'waiting', drivenBy: null }]);
    expect(person.exits).toEqual([]);
  });

  it('told twice, it leaves at once', async () => {
    const { person } = await stopped([callNote('milk')], async (asked) => {
      await asked.said('Esc deny');
      asked.stop('SIGTERM');
    });
    expect(person.exits).toEqual([129]);
  });

  it('once the run is at rest, how it ended is told all the same', async () => {
    const person = fakeIo();
    const { agent } = scriptedAgent([say('noted')], {
      onEvent: ({ type }) => type === 'rest' && person.stop('SIGTERM'),
    });
    const options = { locale: 'en', grants: [], asks: 'deny', quiet: false, times: false } as const;
    const driven = await drive(agent.start('task'), person.io, options);
    expect(driven).toMatchObject({ end: 'rest', outcome: { status: 'done' }, exitCode: 143 });
  });
});
