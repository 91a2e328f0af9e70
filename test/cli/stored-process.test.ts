import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import sharp from 'sharp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openRuns } from '../../src/run/runs.ts';
import { sqliteStore } from '../../src/run/store/sqlite-store.ts';
import type { RunSummary } from '../../src/run/store/store.types.ts';
import { type Answer, chunk, stream, testEndpoint } from '../model/endpoint.ts';
import { MAIN, startNode } from './node-process.ts';
import { approval, databaseOf } from './stored.ts';
import { pictureFolder, temporaryFolder } from './temporary.ts';

/** Runs a command at a terminal of its own. */
const SCRIPT = process.platform === 'linux' ? '/usr/bin/script' : '';
const TASK = 'Resize photo.png to 32 px wide and save it as small.png';
async function agenthub(cwd: string, ...args: readonly string[]) {
  return startNode([MAIN, ...args], { cwd }).ended;
}

/** The runs as another process sees them, as soon as they are as wanted: looked for from this one. */
async function until(cwd: string, isWanted: (runs: readonly RunSummary[]) => boolean) {
  const path = databaseOf(cwd);
  const deadline = Date.now() + 20_000;
  while (Date.now() < deadline) {
    if (existsSync(path) && isWanted(await runsIn(path)))
      return JSON.parse((await agenthub(cwd, 'runs', '--json')).out);
    await pass(20);
  }
  throw new Error('the runs did not become as wanted');
}

async function runsIn(path: string): Promise<readonly RunSummary[]> {
  const store = sqliteStore({ path });
  try {
    return await openRuns(store).list();
  } finally {
    await store.close();
  }
}

describe('stored runs, by real processes', () => {
  it('one leaves a run waiting; another runs the very command it printed, and the run completes', async () => {
    const cwd = await pictureFolder('photo.png', 'small.png');
    const first = await agenthub(cwd, 'run', TASK, '--on-ask', 'wait');
    expect([first.code, first.out]).toEqual([3, '']);
    const command = /^ {2}agenthub (approve .+)$/mu.exec(first.err)?.[1] ?? '';
    const second = await agenthub(cwd, ...command.split(' '), '--resume');
    expect(second.code).toBe(0);
    expect(second.out).toContain('photo.png was scaled and saved as small.png.');
    const { width } = await sharp(await readFile(join(cwd, 'small.png'))).metadata();
    expect(width).toBe(32);
    const [run] = await until(cwd, ([only]) => only?.status === 'done');
    expect(run).toMatchObject({ drivenBy: null });
  });

  it('an answer is taken while another process drives, and that one goes on', async () => {
    const cwd = await temporaryFolder({
      'host.mjs': `
        import { createAgent, createDefaultTools } from '${resolve('dist/src/index.js')}';
        import { offlineModel } from '${resolve('dist/src/offline/index.js')}';
        import { sqliteStore } from '${resolve('dist/src/run/store/sqlite-store.js')}';
        const agent = createAgent({
          model: offlineModel(),
          tools: createDefaultTools({ workingFolder: '.', knowledgeFolder: '.' }),
          permissions: { policies: { echo: 'ask' } },
          store: sqliteStore({ path: '.agenthub/runs.db' }),
        });
        const { answer } = await agent.start('Echo "hello"', { runId: 'driven' }).outcome;
        console.log(answer);
        process.exit(0);
      `,
    });
    const host = startNode(['host.mjs'], { cwd });
    await until(cwd, ([run]) => run?.status === 'waiting' && run.drivenBy !== null);
    const { code, out } = await agenthub(cwd, ...(await approval(cwd, 'driven')), '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      drivenBy: expect.stringContaining(`:${host.child.pid}`),
      result: { accepted: true },
    });
    expect(await host.ended).toEqual({ code: 0, signal: null, out: 'hello\n', err: '' });
  });

  it('a cancellation reaches a run in the middle of its model request: 130', async () => {
    const cwd = await temporaryFolder();
    const driver = await busyDriver(cwd);
    const [run] = await until(cwd, ([only]) => only?.drivenBy !== undefined);
    const { code, out } = await agenthub(cwd, 'cancel', run?.runId ?? '');
    expect([code, out]).toEqual([0, expect.stringMatching(/took it: cancellation\n$/u)]);
    expect((await driver.ended).code).toBe(130);
    const exported = await agenthub(cwd, 'export', run?.runId ?? '');
    expect(exported.out).not.toContain('secret-key');
    expect(JSON.parse(exported.out.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      event: { type: 'run.cancel', by: 'terminal' },
    });
  });

  it('Ctrl-C cancels the run, and that is on record when the process is gone', async () => {
    const cwd = await temporaryFolder();
    const driver = await busyDriver(cwd);
    driver.child.kill('SIGINT');
    const { code, err } = await driver.ended;
    expect([code, err]).toEqual([130, expect.stringMatching(/^stored as run /mu)]);
    const { out } = await agenthub(cwd, 'runs', '--json');
    expect(JSON.parse(out)).toMatchObject([{ status: 'cancelled', drivenBy: null }]);
  });
});

describe('a process that is told to leave lets go of its run', () => {
  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s: %i, and anybody may go on with it at once', async (signal, expected) => {
    const cwd = await temporaryFolder();
    const { child, ended, env } = await busyDriver(cwd, stream([chunk({ content: 'hello' })]));
    child.kill(signal);
    const { code, signal: killedBy, out, err } = await ended;
    expect([code, killedBy, out]).toEqual([expected, null, '']);
    const [, id = ''] = /agenthub resume (\w+)\n$/u.exec(err) ?? [];
    expect(err).toContain(
      `Told to leave by ${signal}: run ${id} is let go of and can go on at once: agenthub resume ${id}\n`,
    );
    const { out: listed } = await agenthub(cwd, 'runs', '--json');
    expect(JSON.parse(listed)).toMatchObject([{ status: 'interrupted', drivenBy: null }]);
    // The lease is not waited for.
    const resumed = await startNode([MAIN, 'resume', id], { cwd, env }).ended;
    expect([resumed.code, resumed.out]).toEqual([0, 'hello\n']);
  });

  it.runIf(existsSync(SCRIPT))('a terminal that goes away leaves its question open', async () => {
    const cwd = await pictureFolder('photo.png', 'small.png');
    const command = `"${process.execPath}" "${MAIN}" run "${TASK}"`;
    // The terminal is this process's: it goes with it.
    const terminal = spawn(SCRIPT, ['-qec', command, '/dev/null'], {
      cwd,
      env: { PATH: process.env.PATH, TERM: 'xterm', SHELL: '/bin/sh' },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    onTestFinished(() => void terminal.kill('SIGKILL'));
    await new Promise<void>((settle) => {
      let seen = '';
      terminal.stdout?.on('data', (data) => {
        seen += data;
        if (seen.includes('Esc deny')) settle();
      });
    });
    const goneAt = Date.now();
    terminal.kill('SIGKILL');
    const [run] = await until(cwd, ([only]) => only?.drivenBy === null);
    expect(run).toMatchObject({ status: 'waiting' });
    // Long before its lease would have lapsed.
    expect(Date.now() - goneAt).toBeLessThan(12_000);
  });

  it('while its tool runs: nothing starts it again but a person', async () => {
    const cwd = await pictureFolder('photo.png');
    const calls = [
      {
        index: 0,
        id: 'c0',
        function: {
          name: 'image_scaling',
          arguments: JSON.stringify({ input: 'photo.png', output: 'small.png', width: 32 }),
        },
      },
    ];
    let isBusy = () => {};
    const busy = new Promise<void>((settle) => {
      isBusy = settle;
    });
    // A service that takes the picture and never answers.
    const service = createServer(() => isBusy());
    await new Promise<void>((settle) => service.listen(0, '127.0.0.1', settle));
    onTestFinished(() => {
      service.closeAllConnections();
      service.close();
    });
    const origin = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    const named = ['--config', 'agenthub.config.json'];
    const config = { imageService: { url: `${origin}/scale` }, allowedServices: [origin] };
    await writeFile(join(cwd, 'agenthub.config.json'), JSON.stringify(config));
    const { baseURL } = await testEndpoint(stream([chunk({ tool_calls: calls }, 'tool_calls')]));
    const driver = startNode([MAIN, 'run', 'scale it', '--json', ...named], {
      cwd,
      env: modelAt(baseURL),
    });
    await busy;
    driver.child.kill('SIGTERM');
    const { code, out, err } = await driver.ended;
    expect([code, err]).toEqual([143, '']);
    const { runId, resume, ...told } = JSON.parse(out);
    expect(resume).toBe(`agenthub resume ${runId} --config agenthub.config.json`);
    expect(told).toMatchObject({ status: 'closed', signal: 'SIGTERM', exitCode: 143 });
    const resumed = await agenthub(cwd, 'resume', runId, '--json', ...named);
    expect([resumed.code, JSON.parse(resumed.out).questions]).toMatchObject([
      3,
      [{ callId: '1.0', missing: ['repeat'] }],
    ]);
  });
});

function modelAt(baseURL: string) {
  return {
    AGENTHUB_PROVIDER: 'openai',
    AGENTHUB_MODEL: 'm',
    AGENTHUB_BASE_URL: baseURL,
    AGENTHUB_API_KEY: 'secret-key',
  };
}

/** A run in the middle of its first model request. */
async function busyDriver(cwd: string, ...later: readonly Answer[]) {
  let isAsked = () => {};
  const reached = new Promise<void>((settle) => {
    isAsked = settle;
  });
  const served = await testEndpoint(() => isAsked(), ...later);
  const env = modelAt(served.baseURL);
  const driver = startNode([MAIN, 'run', 'hi'], { cwd, env });
  await reached;
  return { ...driver, env };
}
