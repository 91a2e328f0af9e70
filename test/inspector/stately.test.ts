import { execFile } from 'node:child_process';
import { createBrowserReceiver, type StatelyInspectionEvent } from '@statelyai/inspect';
import { describe, expect, it } from 'vitest';
import { createActor, setup, toPromise } from 'xstate';
import { stateOf } from '../../machines/agent/agent.view.ts';
import { createStatelyInspection } from '../../src/inspector/index.ts';
import { foldSteps } from '../../src/run/fold.ts';
import { answer, callNote, scriptedAgent } from '../run/support.ts';
import { startRun } from './seed.ts';

const SECRET = 'what was said';

/** The package's own receiver, in a window that is none. */
function receiver() {
  const connected: unknown[] = [];
  const target = new EventTarget();
  const opener = { postMessage: (message: unknown) => connected.push(message) };
  const window = Object.assign(target, { opener, self: target, top: target });
  const received: StatelyInspectionEvent[] = [];
  createBrowserReceiver({ window: window as never }).subscribe((event) => {
    received.push(event);
  });
  const send = (message: unknown) => {
    // As between windows: nothing but what survives structured cloning arrives.
    const data = structuredClone(message);
    target.dispatchEvent(Object.assign(new Event('message'), { data }));
  };
  return { received, connected, send };
}

describe('createStatelyInspection', () => {
  it("tells Stately's receiver of a run of two calls what its log says", async () => {
    const { received, connected, send } = receiver();
    const { inspect } = createStatelyInspection({ send });
    const { run, store } = startRun([callNote(SECRET, 'b'), answer(SECRET)], {
      inspect,
      prompt: SECRET,
    });
    await run.outcome;
    await run.saved();
    expect(connected).toEqual([{ type: '@statelyai.connected' }]);

    const actors = received.flatMap((event) => (event.type === '@xstate.actor' ? event : []));
    const root = actors.find(({ name }) => name === 'agent');
    expect(JSON.parse(root?.definition ?? '{}')).toMatchObject({
      id: 'agent',
      initial: 'submitPrompt',
    });
    expect(actors.map(({ name }) => name)).toEqual([
      'agent',
      'callModel',
      'parseReply',
      'inspectFacts',
      'tool.1.0',
      'tool.1.1',
      'callModel',
      'parseReply',
    ]);
    for (const { name, parentId } of actors)
      expect(parentId).toBe(name === 'agent' ? undefined : root?.sessionId);

    const log = await store.read(run.id);
    const states = [...foldSteps(log)].flatMap(({ record, snapshot }) =>
      record.kind === 'intent' ? [] : [stateOf(snapshot)],
    );
    const snapshots = received.flatMap((event) =>
      event.type === '@xstate.snapshot' && event.sessionId === root?.sessionId ? event : [],
    );
    const told = snapshots.map(({ snapshot }) => stateOf(snapshot as never));
    expect(told).toEqual(states);
    const events = received.flatMap((event) =>
      event.type === '@xstate.event' && event.sessionId === root?.sessionId ? event.event.type : [],
    );
    expect(events.slice(1)).toEqual(
      log.flatMap((record) => (record.kind === 'event' ? record.event.type : [])),
    );
    expect(snapshots.at(-1)?.snapshot).toMatchObject({
      status: 'done',
      context: { turn: 2, messages: 5, rest: 'done' },
    });
  });

  it('says nothing of what people, models and tools said', async () => {
    const { received, send } = receiver();
    const { inspect } = createStatelyInspection({ send });
    const { run } = startRun([callNote(SECRET), answer(SECRET)], { inspect, prompt: SECRET });
    await run.outcome;
    expect(received.length).toBeGreaterThan(10);
    expect(JSON.stringify(received)).not.toContain(SECRET);
  });

  it('stays small: no message grows with the turns', async () => {
    const sizes: number[] = [];
    const { inspect } = createStatelyInspection({
      send: (message) => {
        if (message.type !== '@xstate.actor') sizes.push(JSON.stringify(message).length);
      },
    });
    const script = Array.from({ length: 50 }, (_, index) => callNote(`note ${index}`));
    const { run } = startRun([...script, answer('ok')], {
      inspect,
      limits: { turns: 60, repeatedCalls: 99 },
    });
    await run.outcome;
    expect(Math.max(...sizes)).toBeLessThan(1_000);
  });

  it('lets Node exit by itself: nothing of it stays open', async () => {
    const script = `
      import { createBrowserReceiver } from '@statelyai/inspect';
      import { createAgent, createDefaultTools } from 'agenthub';
      import { createStatelyInspection } from 'agenthub/inspector';
      import { offlineModel } from 'agenthub/offline';
      const window = Object.assign(new EventTarget(), { opener: { postMessage() {} } });
      window.self = window.top = window;
      let received = 0;
      createBrowserReceiver({ window }).subscribe(() => { received += 1; });
      const send = (data) => window.dispatchEvent(Object.assign(new Event('message'), { data }));
      const { inspect } = createStatelyInspection({ send });
      const tools = createDefaultTools({ workingFolder: '.', knowledgeFolder: 'knowledge' });
      const agent = createAgent({ model: offlineModel(), tools, inspect });
      const { status } = await agent.start('七天无理由退货的运费由谁承担？').outcome;
      console.log(status, received > 10);`;
    const { stdout, code } = await new Promise<{ stdout: string; code: unknown }>((resolve) => {
      const args = ['--input-type=module', '--eval', script];
      execFile(process.execPath, args, { timeout: 30_000 }, (error, out) =>
        resolve({ stdout: out, code: error?.signal ?? error?.code ?? 0 }),
      );
    });
    expect({ stdout, code }).toEqual({ stdout: 'done true\n', code: 0 });
  });

  it('lets a host say what may be seen', async () => {
    const { received, send } = receiver();
    const { inspect } = createStatelyInspection({
      send,
      sanitizeContext: ({ prompt }) => ({ prompt }),
      now: () => 7,
    });
    const { run } = startRun([answer('ok')], { inspect, prompt: 'shown' });
    await run.outcome;
    const root = received[0]?.rootId;
    const last = received.findLast(
      ({ type, sessionId }) => type === '@xstate.snapshot' && sessionId === root,
    );
    expect(last).toMatchObject({
      createdAt: '7',
      _version: '0.7.2',
      snapshot: { status: 'done', value: 'done', context: { prompt: 'shown' } },
    });
  });

  it("of a host's machine with the agent as a child it tells the agent's context alone", async () => {
    const { received, send } = receiver();
    const { inspect } = createStatelyInspection({ send });
    const { agent } = scriptedAgent([callNote(SECRET), answer(SECRET)]);
    const host = setup({ actors: { agent: agent.machine } }).createMachine({
      id: 'ticket',
      context: { customer: SECRET },
      initial: 'answering',
      states: {
        answering: {
          invoke: {
            id: 'helper',
            src: 'agent',
            input: () => agent.input(SECRET),
            onDone: { target: 'answered' },
          },
        },
        answered: { type: 'final' },
      },
    });
    const actor = createActor(host, { inspect }).start();
    await toPromise(actor);
    const actors = received.flatMap((event) => (event.type === '@xstate.actor' ? event : []));
    const child = actors.find(({ name }) => name === 'helper');
    expect(child?.parentId).toBe(actor.sessionId);
    expect(JSON.parse(child?.definition ?? '{}')).toMatchObject({ initial: 'submitPrompt' });
    const lastOf = (sessionId: string | undefined) =>
      received.findLast(
        (event) => event.type === '@xstate.snapshot' && event.sessionId === sessionId,
      );
    expect(lastOf(child?.sessionId)).toMatchObject({
      snapshot: { value: 'done', context: { turn: 2 } },
    });
    const told = lastOf(actor.sessionId) as { readonly snapshot: unknown };
    expect(told.snapshot).toEqual({ status: 'done' });
    expect(JSON.stringify(received)).not.toContain(SECRET);
  });
});
