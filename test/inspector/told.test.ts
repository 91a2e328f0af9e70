import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { toGraph } from '../../machines/agent/agent.graph.ts';
import { agentMachine } from '../../machines/agent/agent.machine.ts';
import type { RunList, RunPage, StepDetail } from '../../src/inspector/api.types.ts';
import { createDefaultTools } from '../../src/run/default-tools.ts';
import { foldLog } from '../../src/run/fold.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import { answer, asked, callNote } from '../run/support.ts';
import { inspected, waiting } from './inspected.ts';
import { asks, startRun, untilStoredQuestion } from './seed.ts';

describe('what is told of a run', () => {
  it('rows, transitions and states as the log folds', async () => {
    const { server, path, run, store, page } = await waiting(['a']);
    const graph = toGraph(agentMachine);
    const names = page.steps.map(({ what, state, transitions }) => ({
      what,
      state,
      took: transitions.map((index) => {
        const { source, target, guard } = graph.transitions[index] ?? {};
        return `${source} > ${target}${guard === null ? '' : ` [${guard}]`}`;
      }),
    }));
    expect(names).toEqual([
      {
        what: 'start',
        state: 'callModel.working',
        took: ['submitPrompt.checking > callModel', 'callModel.checking > callModel.working'],
      },
      { what: 'callModel', state: 'parseReply', took: ['callModel.working > parseReply'] },
      {
        what: 'parseReply',
        state: 'awaitPermission.inspecting',
        took: [
          'parseReply > preToolHook [isCallBatch]',
          'preToolHook.checking > preToolHook.routing',
          'preToolHook.routing > awaitPermission [hasLiveCalls]',
        ],
      },
      {
        what: 'inspectFacts',
        state: 'awaitPermission.asking',
        took: [
          'awaitPermission.inspecting > awaitPermission.deciding',
          'awaitPermission.deciding > awaitPermission.asking [hasQuestions]',
        ],
      },
    ]);
    expect(page.steps[1]?.tokens).toEqual({ input: 10, output: 2 });
    run.approve(asked(run), { by: 'ada' });
    await run.outcome;
    await run.saved();
    const ended = await server.get<RunPage>(path);
    expect(ended.run).toMatchObject({ state: 'done', answer: 'ok', questions: [] });
    expect(ended.steps.map(({ kind, what }) => `${kind} ${what}`).slice(4)).toEqual([
      'person granted 1.0 · ada',
      'engine inspectFacts',
      'engine intent 1.0 (1)',
      'tool note 1.0',
      'model callModel',
      'engine parseReply',
    ]);
    const log = await store.read(run.id);
    for (const [seq] of log.entries()) {
      const detail = await server.get<StepDetail>(`${path}/steps/${seq}`);
      const { context } = foldLog(log.slice(0, seq + 1));
      expect(detail.run.turn).toBe(context.turn);
      expect(detail.record).toEqual(log[seq]);
    }
    const tool = await server.get<StepDetail>(`${path}/steps/7`);
    expect(tool).toMatchObject({ input: { text: 'a' }, output: { content: 'noted a' } });
    const grant = await server.get<StepDetail>(`${path}/steps/4`);
    expect(grant.differences).toContainEqual({
      path: 'calls.0.stage',
      before: 'asked',
      after: 'live',
    });
  });

  it('lists runs by words of the prompt, id, status or tool; waiting ones first', async () => {
    const store = memoryStore();
    const first = startRun([callNote('a'), answer('ok')], { ...asks, store, prompt: 'Eins' });
    await untilStoredQuestion(first.run);
    const second = startRun([answer('ok')], { store, prompt: '第二个任务' });
    await second.run.outcome;
    await second.run.saved();
    const { get } = await inspected(store);
    const ids = async (query: string) =>
      (await get<RunList>(`/api/runs${query}`)).runs.map(({ runId }) => runId);
    expect(await ids('')).toEqual([first.run.id, second.run.id]);
    expect(await ids(`?search=${encodeURIComponent('第二')}`)).toEqual([second.run.id]);
    expect(await ids('?search=NOTE')).toEqual([first.run.id]);
    expect(await ids('?search=waiting')).toEqual([first.run.id]);
    expect(await ids(`?search=${second.run.id}`)).toEqual([second.run.id]);
    expect(await ids('?status=done')).toEqual([second.run.id]);
    expect(await ids('?search=nowhere')).toEqual([]);
  });

  it('shows thumbnails of the files that were inspected, while they are the same', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agenthub-inspector-'));
    const plain = { width: 600, height: 300, channels: 3, background: '#48a' } as const;
    await sharp({ create: plain }).jpeg().toFile(join(folder, 'a.jpg'));
    await sharp({ create: plain }).png().toFile(join(folder, 'b.png'));
    const input = { input: 'a.jpg', output: 'b.png', width: 20 };
    const { run, store } = startRun(
      [{ calls: [{ name: 'image_scaling', arguments: input, id: 'i' }] }, answer('ok')],
      {
        tools: createDefaultTools({ workingFolder: folder, knowledgeFolder: folder }),
        permissions: {},
      },
    );
    await untilStoredQuestion(run);
    const { ask, get } = await inspected(store);
    const path = `/api/runs/${run.id}`;
    const { questions } = (await get<RunPage>(path)).run;
    expect(questions[0]).toMatchObject({
      images: { input: true, output: true },
      reasons: [{ code: 'overwrite_not_approved' }],
    });
    for (const which of ['input', 'output']) {
      const picture = await ask(`${path}/image?call=1.0&which=${which}`);
      expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/png']);
      const size = await sharp(Buffer.from(picture.text, 'latin1')).metadata();
      expect([size.width, size.height]).toEqual([240, 120]);
    }
    expect((await ask(`${path}/image?call=9.9&which=input`)).status).toBe(404);
    expect((await ask(`${path}/image?call=1.0&which=/etc/passwd`)).status).toBe(404);
    expect((await ask(`${path}/image?call=__proto__&which=constructor`)).status).toBe(404);
    writeFileSync(join(folder, 'a.jpg'), 'changed');
    const changed = await ask(`${path}/image?call=1.0&which=input`);
    expect([changed.status, changed.code]).toEqual([409, 'file_changed']);
    run.cancel();
    await run.outcome;
    await run.saved();
    expect((await ask(`${path}/image?call=1.0&which=output`)).status).toBe(404);
    rmSync(folder, { recursive: true });
  });

  it('streams steps with their ids, and goes on after the last one received', async () => {
    const { server, path, run } = await waiting(['a']);
    const stream = (after: number | string, enough: (text: string) => boolean) =>
      new Promise<string>((resolve, reject) => {
        const headers = {
          host: server.host,
          authorization: `Bearer ${server.token}`,
          'last-event-id': String(after),
        };
        const asked = request(
          { port: server.port, host: '127.0.0.1', path: `${path}/stream`, headers },
          (response) => {
            let text = '';
            response.on('data', (data) => {
              text += String(data);
              if (!enough(text)) return;
              asked.destroy();
              resolve(text);
            });
          },
        );
        asked.on('error', reject);
        asked.end();
      });
    const idsOf = (text: string) =>
      [...text.matchAll(/^id: (\d+)$/gmu)].map(([, id]) => Number(id));
    const all = await stream(-1, (text) => text.includes('event: run'));
    expect(idsOf(all)).toEqual([0, 1, 2, 3]);
    for (const odd of ['', '-5', '1e308', '0x1', '1.5', '__proto__'])
      expect(idsOf(await stream(odd, (text) => text.includes('event: run')))).toEqual([0, 1, 2, 3]);
    const later = stream(2, (text) => text.includes('"answer":"ok"'));
    run.approve(asked(run));
    expect(idsOf(await later)).toEqual([3, 4, 5, 6, 7, 8, 9]);
  });

  it('lists every run that waits, the newest of the others, and finds older ones', async () => {
    const { store, run } = startRun([callNote('a')], { ...asks, prompt: 'x'.repeat(5_000) });
    await untilStoredQuestion(run);
    const at = Date.now();
    for (let number = 0; number < 301; number += 1) {
      const input = { runId: `done-${number}`, prompt: `Task ${number}.` };
      const lease = await store.create(
        { seq: 0, at: at + number, kind: 'start', machineVersion: '0', input: input as never },
        { owner: 'test', ttl: 1_000 },
      );
      await store.append(lease, [], { durable: false, status: 'done' });
      await store.release(lease);
    }
    const { get } = await inspected(store);
    const { runs, newest } = await get<RunList>('/api/runs');
    expect([runs.length, newest]).toEqual([301, 300]);
    expect(runs[0]).toMatchObject({ runId: run.id, prompt: `${'x'.repeat(300)}…` });
    expect([runs[1]?.runId, runs.at(-1)?.runId]).toEqual(['done-300', 'done-1']);
    const found = await get<RunList>('/api/runs?search=task%200.');
    expect(found.runs.map(({ runId }) => runId)).toEqual(['done-0']);
    run.cancel();
    await run.outcome;
  });

  it('says which run there is not', async () => {
    const { ask } = await inspected();
    const missing = await ask('/api/runs/nobody');
    expect([missing.status, missing.code]).toEqual([404, 'run_unknown']);
  });
});
