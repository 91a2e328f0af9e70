import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build } from 'esbuild';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stateOf } from '../../machines/agent/agent.view.ts';
import { startStatelyRelay } from '../../src/inspector/index.ts';
import { foldSteps } from '../../src/run/fold.ts';
import { answer, callNote } from '../run/support.ts';
import { launchChromium, skipsBrowser } from './browser.ts';
import { startRun } from './seed.ts';

/** Stands in for Stately's page: the package's own receiver, which keeps what it is told. */
async function hostedPage(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import { createBrowserReceiver } from '@statelyai/inspect';
        globalThis.received = [];
        createBrowserReceiver().subscribe((event) => globalThis.received.push(event));`,
      resolveDir: process.cwd(),
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    logLevel: 'error',
  });
  const page = `<!doctype html><title>hosted</title><script type="module">${outputFiles[0]?.text.replaceAll('</script', '<\\/script')}</script>`;
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(page);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/inspect`;
}

describe('the relay to Stately', () => {
  it.skipIf(skipsBrowser())(
    "tells Stately's page what the log says, also when it is opened late",
    async () => {
      const relay = await startStatelyRelay({ hosted: await hostedPage() });
      onTestFinished(() => relay.close());
      const { run, store } = startRun([callNote('a', 'b'), answer('ok')], {
        inspect: relay.inspect,
      });
      await run.outcome;
      await run.saved();
      const browser = await launchChromium();
      onTestFinished(() => browser.close());
      const page = await browser.newPage();
      await page.goto(relay.url);
      const frame = page.frames().find((candidate) => candidate !== page.mainFrame());
      type Hosted = {
        received: {
          type: string;
          sessionId: string;
          rootId: string;
          snapshot: { status: string };
        }[];
      };
      await frame?.waitForFunction(() =>
        (globalThis as unknown as Hosted).received.some(
          ({ type, sessionId, rootId, snapshot }) =>
            type === '@xstate.snapshot' && sessionId === rootId && snapshot.status === 'done',
        ),
      );
      const received =
        (await frame?.evaluate(() => (globalThis as unknown as Hosted).received)) ?? [];
      const told = received.filter(
        ({ type, sessionId, rootId }) => type === '@xstate.snapshot' && sessionId === rootId,
      );
      const states = [...foldSteps(await store.read(run.id))].flatMap(({ record, snapshot }) =>
        record.kind === 'intent' ? [] : [stateOf(snapshot)],
      );
      expect(told.map(({ snapshot }) => stateOf(snapshot as never))).toEqual(states);
      expect(page.url()).not.toContain('token');
    },
  );

  it('is guarded as the inspector is', async () => {
    const relay = await startStatelyRelay();
    onTestFinished(() => relay.close());
    const { origin, hash } = new URL(relay.url);
    const token = new URLSearchParams(hash.slice(1)).get('token');
    const page = await fetch(`${origin}/`);
    expect(page.headers.get('content-security-policy')).toMatch(
      /; frame-src https:\/\/stately\.ai$/u,
    );
    const statusOf = async (path: string, headers: Record<string, string> = {}) => {
      const response = await fetch(`${origin}${path}`, { headers });
      await response.body?.cancel();
      return response.status;
    };
    const authorization = `Bearer ${token}`;
    expect(await statusOf('/events')).toBe(401);
    expect(await statusOf('/events', { authorization })).toBe(200);
    expect(await statusOf('/events', { authorization, origin: 'http://evil.example' })).toBe(403);
    expect(await statusOf('/other', { authorization })).toBe(404);
  });
});
