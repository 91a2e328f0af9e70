import { describe, expect, it } from 'vitest';
import type { AnswerReply, RunPage } from '../../src/inspector/api.types.ts';
import { inspected, waiting } from './inspected.ts';

describe('commands', () => {
  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', null])(
    'refuses a form post: %s',
    async (type) => {
      const { server, path, run } = await waiting();
      const refused = await server.command(`${path}/cancel`, '{}', { 'content-type': type });
      expect(refused.status).toBe(415);
      expect(run.state).toBe('awaitPermission.asking');
    },
  );

  it('refuses a body over 64 KiB, told or not', async () => {
    const { server, path, run } = await waiting();
    const large = JSON.stringify({ reason: 'x'.repeat(64 * 1024) });
    expect((await server.command(`${path}/answer`, large)).status).toBe(413);
    const chunked = { 'transfer-encoding': 'chunked' };
    expect((await server.command(`${path}/answer`, large, chunked)).status).toBe(413);
    expect(run.questions).toHaveLength(2);
  });

  it.each([
    ['not JSON', '{'],
    ['no object', '[]'],
    ['an unknown member', '{"callId":"1.0","answer":"approve","digest":"","by":"root"}'],
    ['an unknown approval', '{"callId":"1.0","answer":"approve","digest":"","approvals":["all"]}'],
  ])('refuses what is no command: %s', async (_, body) => {
    const { server, path } = await waiting();
    expect((await server.command(`${path}/answer`, body)).status).toBe(400);
  });

  it('approves and denies what was shown, and the log says who', async () => {
    const { server, path, page, run, store, started } = await waiting();
    const [first, second] = page.run.questions;
    const approve = { callId: '1.0', answer: 'approve', digest: first?.digest };
    const deny = { callId: '1.1', answer: 'deny', digest: second?.digest, reason: 'not now' };
    const approved = await server.command(`${path}/answer`, approve);
    expect((approved.json as AnswerReply).result).toEqual({ accepted: true });
    expect((await server.command(`${path}/answer`, deny)).status).toBe(200);
    expect((await run.outcome).status).toBe('done');
    expect(started).toEqual(['a']);
    await run.saved();
    const said = (await store.read(run.id)).flatMap((record) =>
      record.kind === 'event' && record.event.type.startsWith('permission.') ? record.event : [],
    );
    expect(said).toMatchObject([
      { type: 'permission.grant', callId: '1.0', by: 'web' },
      { type: 'permission.deny', callId: '1.1', by: 'web', reason: 'not now' },
    ]);
  });

  it('refuses a second answer, a replay, a changed digest, and one for another call', async () => {
    const { server, path, page, started, run } = await waiting();
    const [first, second] = page.run.questions;
    const approve = { callId: '1.0', answer: 'approve', digest: first?.digest };
    const wrong = { ...approve, digest: second?.digest };
    const stale = await server.command(`${path}/answer`, wrong);
    expect([stale.status, stale.code]).toEqual([409, 'stale']);
    expect((await server.command(`${path}/answer`, { ...approve, digest: '' })).code).toBe('stale');
    expect((await server.command(`${path}/answer`, approve)).status).toBe(200);
    for (const again of [approve, { ...approve, answer: 'deny' }]) {
      const refused = await server.command(`${path}/answer`, again);
      expect([refused.status, refused.code]).toEqual([409, 'not_asked']);
    }
    expect(run.questions.map(({ callId }) => callId)).toEqual(['1.1']);
    expect(started).toEqual([]);
  });

  it('takes one of two answers that come at the same time', async () => {
    const { server, path, page, run } = await waiting(['a']);
    const digest = page.run.questions[0]?.digest;
    const answers = await Promise.all(
      ['approve', 'deny', 'approve', 'deny'].map((word) =>
        server.command(`${path}/answer`, { callId: '1.0', answer: word, digest }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 409, 409, 409]);
    expect((await run.outcome).status).toBe('done');
  });

  it('keeps an answer for a run that nobody drives, and refuses the next', async () => {
    const { server, path, page, run, store } = await waiting(['a']);
    await run.close();
    const digest = page.run.questions[0]?.digest;
    const posted = await server.command(`${path}/answer`, {
      callId: '1.0',
      answer: 'deny',
      digest,
    });
    expect(posted.json).toEqual({ result: null, drivenBy: null });
    expect(await store.pending(run.id)).toHaveLength(1);
    const again = await server.command(`${path}/answer`, {
      callId: '1.0',
      answer: 'approve',
      digest,
    });
    expect([again.status, again.code]).toEqual([409, 'not_asked']);
    const later = await server.get<RunPage>(path);
    expect(later.run.questions[0]?.answered).toBe('deny');
  });

  it('says that it does not count when the page of another process was first', async () => {
    const { page, run, store } = await waiting(['a']);
    await run.close();
    const first = { type: 'permission.deny', callId: '1.0', reason: '', by: 'web', at: 1 } as const;
    // The other process posts between our look and our word.
    const post: typeof store.post = async (runId, event) => {
      await store.post(runId, first);
      return store.post(runId, event);
    };
    const other = await inspected(Object.assign(Object.create(store), { post }));
    const digest = page.run.questions[0]?.digest;
    const refused = await other.command(`/api/runs/${run.id}/answer`, {
      callId: '1.0',
      answer: 'approve',
      digest,
    });
    expect([refused.status, refused.code]).toEqual([409, 'not_asked']);
  });

  it('stops a run, once', async () => {
    const { server, path, run, started } = await waiting();
    expect((await server.command(`${path}/cancel`, {})).status).toBe(200);
    expect((await run.outcome).status).toBe('cancelled');
    await run.saved();
    expect((await server.command(`${path}/cancel`, {})).code).toBe('ended');
    expect(started).toEqual([]);
  });
});
