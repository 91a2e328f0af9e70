import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createInspectorHandler, type RestoreRun } from '../../src/inspector/index.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import type { RunStore } from '../../src/run/store/store.types.ts';
import { hold } from '../../src/testing/scripted-model.ts';
import { answer, callNote, scriptedAgent } from '../run/support.ts';
import { launchChromium, skipsBrowser } from './browser.ts';
import { asks, startRun, untilStoredQuestion } from './seed.ts';

const TOKEN = 'token-of-the-tests';

interface Serving {
  readonly port?: number;
  readonly restore?: RestoreRun;
}

/** The inspector on a port that it can come back to, as after a restart. */
async function serve(store: RunStore, { port = 0, restore }: Serving = {}) {
  const server: Server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  const handler = createInspectorHandler({
    store,
    token: TOKEN,
    hosts: [`127.0.0.1:${bound}`],
    ...(restore && { restore }),
  });
  server.on('request', handler);
  const close = async () => {
    await handler.close();
    server.closeAllConnections();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
  };
  return { url: `http://127.0.0.1:${bound}/#token=${TOKEN}`, port: bound, close };
}

describe.skipIf(skipsBrowser())('the inspector page, in Chromium', () => {
  let browser: Browser;
  let problems: string[] = [];
  const closing: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser.close();
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    expect(problems).toEqual([]);
    problems = [];
  });

  /** Serves a store and opens its page. What the page complains of fails the test. */
  async function open(
    store: RunStore,
    { restore, ...options }: BrowserContextOptions & Pick<Serving, 'restore'> = {},
  ) {
    const server = await serve(store, { ...(restore && { restore }) });
    closing.push(server.close);
    return { server, page: await openPage(server.url, options) };
  }

  async function openPage(url: string, options: BrowserContextOptions = {}): Promise<Page> {
    const viewport = { width: 1440, height: 900 };
    const context = await browser.newContext({ viewport, locale: 'en-US', ...options });
    closing.push(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      const isNetwork = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isNetwork) problems.push(message.text());
    });
    await page.goto(url);
    return page;
  }

  /** A run of two questions, stored up to them. */
  async function asking(texts: readonly string[] = ['first', 'second']) {
    const seeded = startRun([callNote(...texts), answer('All noted.')], asks);
    await untilStoredQuestion(seeded.run);
    return seeded;
  }

  const rows = (page: Page) => page.locator('.row .row-what').allInnerTexts();
  const active = (page: Page) => page.locator('.state.active:not(.state-compound)');
  const said = (page: Page, text: string) => page.getByText(text).first().waitFor();

  it('says how to start a run when there is none, and takes the token out of the address', async () => {
    const { page } = await open(memoryStore());
    await said(page, 'There are no runs here yet.');
    await said(page, 'agenthub run "your task"');
    expect(page.url()).not.toContain('token');
  });

  it('says in words that the token is missing', async () => {
    const { server } = await open(memoryStore());
    const page = await openPage(server.url.replace(TOKEN, 'wrong'));
    await said(page, 'No access: open this page with the address printed at the start');
  });

  it('shows a run live: the lit state, taken edges with their counts, rows and tokens', async () => {
    const reply = hold();
    const { run, store } = startRun([
      callNote('a'),
      { text: 'Noted.', usage: { inputTokens: 10, outputTokens: 2 }, hold: reply },
    ]);
    await reply.reached;
    const { page } = await open(store);
    await active(page).waitFor();
    expect(await active(page).getAttribute('data-state')).toBe('callModel.working');
    await page.locator('.pill-running').first().waitFor();
    await page.locator('.label.taken', { hasText: 'isCallBatch ×1' }).waitFor();
    reply.release();
    await page.locator('[data-state=done].active').waitFor();
    await said(page, 'Noted.');
    await page.locator('.pill-done').first().waitFor();
    await page.locator('.label.taken', { hasText: 'isAnswer ×1' }).waitFor();
    expect((await rows(page)).at(-2)).toBe('model callModel');
    expect(await page.locator('.figures').innerText()).toBe('Turn 2 · Tokens 20→4');
    await run.outcome;
  });

  it('approves and denies item by item; the heading has the focus, never a button', async () => {
    const { run, store, started } = await asking();
    const { page } = await open(store);
    const heading = page.locator('#decision');
    await heading.waitFor();
    await page.waitForFunction(() => document.activeElement?.id === 'decision');
    expect(await heading.innerText()).toContain('2 left');
    expect(await page.title()).toBe('(2) AgentHub inspector');
    const first = page.locator('.question').first();
    expect(await first.locator('pre').innerText()).toBe('{\n  "text": "first"\n}');
    expect(await first.locator('.reasons li').innerText()).toContain(
      'Each use of this tool needs a person to approve it',
    );
    const sizes = await Promise.all(
      ['.approve', '.deny'].map((name) => first.locator(name).boundingBox()),
    );
    expect(sizes[0]?.width).toBeCloseTo(sizes[1]?.width ?? 0, 0);
    expect(sizes[0]?.height).toBe(sizes[1]?.height);
    await first.locator('.approve').click();
    await page.locator('.question').nth(1).waitFor({ state: 'detached' });
    expect(await heading.innerText()).toContain('1 left');
    await page.waitForFunction(() => document.activeElement?.id === 'decision');
    await page.locator('.question input').fill('not this one');
    await page.locator('.question .deny').click();
    await said(page, 'All noted.');
    expect(started).toEqual(['first']);
    const outcome = await run.outcome;
    const denied = outcome.messages.find(
      (message) => 'callId' in message && message.callId === '1.1',
    );
    expect(denied).toMatchObject({ outcome: 'denied' });
    expect(JSON.stringify(denied)).toContain('not this one');
    await page.waitForFunction(() => document.title === 'AgentHub inspector');
  });

  it('two tabs: the first word counts, the other sees it at once', async () => {
    const { run, store, started } = await asking(['only']);
    const { server, page } = await open(store);
    const other = await openPage(server.url);
    await other.locator('.approve').waitFor();
    // Both answers are on their way before the server hears the first.
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const statuses = [page, other].map(async (tab) => {
      await tab.route('**/answer', async (route) => {
        await held;
        await route.continue();
      });
      const replied = await tab.waitForResponse((response) => response.url().endsWith('/answer'));
      return replied.status();
    });
    await page.locator('.deny').click();
    await other.locator('.approve').click();
    release();
    expect((await Promise.all(statuses)).toSorted()).toEqual([200, 409]);
    await Promise.all([page, other].map((tab) => said(tab, 'All noted.')));
    await run.outcome;
    expect(started.length).toBeLessThanOrEqual(1);
  });

  it('refuses what is stale, in words', async () => {
    const { run, store } = await asking(['only']);
    const { page } = await open(store);
    await page.locator('.approve').waitFor();
    // The page still shows the question when somebody else answers it.
    await page.route('**/answer', async (route) => {
      run.deny('1.0', '', { by: 'terminal' });
      await run.outcome;
      await run.saved();
      await route.continue();
    });
    await page.locator('.approve').click();
    await said(page, 'this question has been answered already');
  });

  it('goes back in time: every panel shows that step, read only, and back to live', async () => {
    const { store } = await asking();
    const { page } = await open(store);
    await page.locator('.decision').waitFor();
    await page.keyboard.press('k');
    await page.locator('[data-state=awaitPermission\\.inspecting].active').waitFor();
    await page.locator('.decision').waitFor({ state: 'hidden' });
    expect(await page.locator('.scrubber output').innerText()).toBe('2 of 3');
    await page.locator('.pill-past').waitFor();
    await page.locator('.details').getByLabel('Output').getByText('"kind": "calls"').waitFor();
    await page.locator('.differences code', { hasText: 'calls.0' }).waitFor();
    expect(await page.locator('.label', { hasText: 'hasQuestions' }).textContent()).not.toContain(
      '×',
    );
    await page.keyboard.press('j');
    await said(page, 'This is how it stood at step 3; read only.');
    expect(await page.locator('.approve').count()).toBe(0);
    await page.locator('#scrubber').fill('0');
    await page.locator('[data-state=callModel\\.working].active').waitFor();
    await page.keyboard.press('g');
    await page.locator('.approve').first().waitFor();
    expect(await page.locator('.details').count()).toBe(0);
  });

  it('searches, and filters by status', async () => {
    const { store } = await asking();
    for (const prompt of ['Fix the build 修复构建', 'Add a test']) {
      const { run } = startRun([answer('ok')], { store, prompt });
      await run.outcome;
      await run.saved();
    }
    const { page } = await open(store);
    const prompts = () => page.locator('.run-prompt').allInnerTexts();
    await page.locator('.run').nth(2).waitFor();
    expect(await prompts()).toEqual(['Take notes', 'Add a test', 'Fix the build 修复构建']);
    await page.keyboard.press('/');
    await page.keyboard.type('构建');
    await page.locator('.run').nth(1).waitFor({ state: 'detached' });
    expect(await prompts()).toEqual(['Fix the build 修复构建']);
    await page.locator('#search').fill('note');
    await page.locator('.run-prompt', { hasText: 'Take notes' }).waitFor();
    expect(await prompts()).toEqual(['Take notes']);
    await page.locator('#search').fill('nothing like it');
    await said(page, 'No run matches.');
    await page.locator('#search').fill('');
    await page.locator('.chip', { hasText: 'done' }).click();
    await page.locator('.run').nth(2).waitFor({ state: 'detached' });
    expect(await prompts()).toEqual(['Add a test', 'Fix the build 修复构建']);
  });

  it('links what the pointer is on, and filters the timeline by state', async () => {
    const { store } = await asking();
    const { page } = await open(store);
    await page.locator('.row').first().waitFor();
    await page.locator('.row', { hasText: 'parseReply' }).hover();
    await page.locator('[data-state=awaitPermission\\.inspecting].lit').waitFor();
    expect(await page.locator('.edge.lit').count()).toBe(3);
    await page
      .locator('[data-state=awaitPermission\\.asking] rect')
      .hover({ position: { x: 4, y: 4 } });
    await page.locator('.row.lit', { hasText: 'inspectFacts' }).waitFor();
    await page
      .locator('[data-state=awaitPermission\\.asking] rect')
      .click({ position: { x: 4, y: 4 } });
    await page.locator('.row', { hasText: 'callModel' }).waitFor({ state: 'detached' });
    expect(await rows(page)).toEqual(['engine inspectFacts']);
  });

  it('works by the keyboard alone', async () => {
    const { run, store, started } = await asking(['only']);
    const { page } = await open(store);
    await page.waitForFunction(() => document.activeElement?.id === 'decision');
    const focused = () =>
      page.evaluate(() => {
        const { activeElement } = document;
        return `${activeElement?.className} ${activeElement?.tagName}`.trim();
      });
    const passed: string[] = [];
    for (let tabs = 0; tabs < 8 && passed.at(-1) !== 'approve BUTTON'; tabs += 1) {
      await page.keyboard.press('Tab');
      passed.push(await focused());
    }
    expect(passed).toEqual(['PRE', 'SUMMARY', 'INPUT', 'approve BUTTON']);
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.locator('.approve').focus();
    await page.keyboard.press('Enter');
    await said(page, 'All noted.');
    await run.outcome;
    expect(started).toEqual(['only']);
  });

  it.each([
    ['zh-CN', '等待你的决定', '批准', '每次使用都需要有人批准', 'English'],
    ['en-US', 'Waiting for your decision', 'Approve', 'needs a person to approve', '中文'],
  ])('speaks %s, and keeps the choice', async (locale, heading, approve, reason, other) => {
    const { store } = await asking();
    const { page } = await open(store, { locale });
    await said(page, heading);
    await said(page, reason);
    expect(await page.locator('.approve').first().innerText()).toBe(approve);
    expect(await page.getAttribute('html', 'lang')).toBe(locale === 'zh-CN' ? 'zh-CN' : 'en');
    await page.getByRole('button', { name: other }).click();
    await page.locator('.approve', { hasText: approve }).first().waitFor({ state: 'detached' });
    await page.reload();
    await page.locator('.approve').first().waitFor();
    expect(await page.locator('.approve').first().innerText()).not.toBe(approve);
  });

  it('has no violations of axe-core: both themes, both languages, live and in the past', async () => {
    const { run: left, store } = await asking();
    await left.close();
    const limits = { turns: 1 };
    const { run } = startRun([callNote('a')], { store, limits, prompt: 'Another' });
    await run.outcome;
    await run.close();
    const { agent } = scriptedAgent([], { ...asks, store });
    const { page } = await open(store, { bypassCSP: true, restore: agent.restore });
    await page.evaluate(axe.source);
    const look = () =>
      page.evaluate(async () => {
        const { violations } = await (
          globalThis as unknown as { axe: { run(): Promise<{ violations: AxeViolation[] }> } }
        ).axe.run();
        return violations.map(
          ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`,
        );
      });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const name of ['中文', 'English']) {
        await page.getByRole('button', { name, exact: true }).click();
        await page.locator('.approve').first().waitFor();
        expect(await look()).toEqual([]);
      }
      await page.keyboard.press('k');
      await page.locator('.details pre').first().waitFor();
      await page.getByRole('tab').nth(1).click();
      await page.locator('.coverage summary').nth(1).click();
      await page.locator('.path').first().click();
      expect(await look()).toEqual([]);
      await page.locator('.path').first().click();
      await page.getByRole('tab').first().click();
      await page.keyboard.press('g');
      await page.locator('.run', { hasText: 'Another' }).click();
      await page.locator('#raised').waitFor();
      expect(await look()).toEqual([]);
      await page.locator('.run', { hasText: 'Take notes' }).click();
    }
  });

  it('fits 360 to 2560 px: nothing is wider than the page; one column has the card first', async () => {
    const { store } = await asking();
    const { page } = await open(store);
    await page.locator('.approve').first().waitFor();
    await page.locator('.row').first().waitFor();
    for (const width of [360, 600, 899, 900, 1200, 1440, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect([width, overflow]).toEqual([width, 0]);
      const [card, timeline, chart] = await Promise.all(
        ['.decision', '.timeline', '.chart'].map((name) => page.locator(name).boundingBox()),
      );
      expect((card?.y ?? 0) < (chart?.y ?? 0) - 1).toBe(width < 900);
      expect((timeline?.y ?? 0) >= (card?.y ?? 0) + (card?.height ?? 0)).toBe(true);
      const list = await page.locator('.rows').boundingBox();
      const end = (timeline?.y ?? 0) + (timeline?.height ?? 0);
      expect((list?.y ?? 0) + (list?.height ?? 0)).toBeLessThanOrEqual(end);
      expect(list?.height).toBeGreaterThan(80);
    }
  });

  it('shows scripts in what models and tools say as text', async () => {
    const script =
      '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>';
    const { run, store } = startRun([callNote(script), answer(script)], { prompt: script });
    await run.outcome;
    await run.saved();
    const { page } = await open(store);
    await page.locator('.prose', { hasText: script }).waitFor();
    await page.locator('.row', { hasText: 'note 1.0' }).click();
    await page.locator('.details pre', { hasText: 'noted <img src=x onerror=' }).first().waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.title()).toBe('AgentHub inspector');
  });

  it('outlives its server: says that it is disconnected, and catches up by event id', async () => {
    const { run, store } = await asking(['only']);
    const { server, page } = await open(store);
    await page.locator('.approve').waitFor();
    await server.close();
    await said(page, 'Disconnected from the server; trying again');
    run.approve('1.0');
    await run.outcome;
    await run.saved();
    const resumed = page.waitForRequest(
      (request) => request.url().includes('/stream') && request.headers()['last-event-id'] === '3',
    );
    const again = await serve(store, { port: server.port });
    closing.push(again.close);
    await resumed;
    await said(page, 'All noted.');
    await page.locator('.banner').waitFor({ state: 'hidden' });
    expect((await rows(page)).length).toBe(10);
  });

  it('catches up with a run that ended while its tab was hidden', async () => {
    const { run, store } = await asking(['only']);
    const { page } = await open(store);
    await page.locator('.approve').waitFor();
    const devtools = await page.context().newCDPSession(page);
    // What a browser does to a tab in the background: nothing runs in it any more.
    await devtools.send('Page.setWebLifecycleState', { state: 'frozen' });
    run.approve('1.0');
    await run.outcome;
    await run.saved();
    await devtools.send('Page.setWebLifecycleState', { state: 'active' });
    await said(page, 'All noted.');
    await page.locator('.pill-done').first().waitFor();
    await page.locator('.decision').waitFor({ state: 'hidden' });
    expect(await page.title()).toBe('AgentHub inspector');
    expect((await rows(page)).length).toBe(10);
  });

  it('goes on with a run that nobody drives, its answer given first', async () => {
    const { run, store } = await asking(['only']);
    await run.close();
    const { agent, started } = scriptedAgent([answer('Went on.')], {
      ...asks,
      now: Date.now,
      store,
    });
    const { page } = await open(store, { restore: agent.restore });
    await said(page, 'Nobody drives this run. It can go on here');
    await page.locator('.approve').click();
    await said(page, 'Answered (Approve); it waits for a process that drives the run.');
    expect(started).toEqual([]);
    await page.getByRole('button', { name: 'Go on' }).click();
    await said(page, 'Went on.');
    await page.locator('.go-on').waitFor({ state: 'detached' });
    expect(started).toEqual(['only']);
  });

  it('raises the limit that suspended a run, in words and figures', async () => {
    const store = memoryStore();
    const { run } = startRun([callNote('a'), answer('Raised.')], { store, limits: { turns: 1 } });
    await run.outcome;
    await run.saved();
    const { page } = await open(store);
    await said(page, 'it reached its limit of model requests');
    const field = page.getByLabel('Raise model requests to (now 1)');
    expect(await field.inputValue()).toBe('2');
    await field.fill('1');
    await page.getByRole('button', { name: 'Go on' }).click();
    expect(await field.evaluate((input: HTMLInputElement) => input.validity.rangeUnderflow)).toBe(
      true,
    );
    await field.fill('3');
    await page.getByRole('button', { name: 'Go on' }).click();
    await said(page, 'Raised.');
    expect((await run.outcome).status).toBe('done');
  });

  it('colours what generated paths covered, and shows the path to each transition', async () => {
    const { store } = await asking();
    const { page } = await open(store);
    await page.getByRole('tab', { name: 'Coverage' }).click();
    await said(page, '52 of 52 transitions covered by generated paths');
    expect(await page.locator('.edge.uncovered').count()).toBe(0);
    await page.locator('.edge.covered.of-run').first().waitFor();
    await page.getByText('paths that take every transition between them').click();
    const path = page.locator('.path', { hasText: 'submitPrompt.working → failed' }).first();
    await path.click();
    expect(await page.locator('.path-steps li').allInnerTexts()).toEqual([
      'userPromptSubmit → block',
    ]);
    const lit = page.locator('.edge.lit');
    expect(await lit.count()).toBe(2);
    await page.mouse.move(0, 0);
    expect(await lit.count()).toBe(2);
    await path.click();
    await page.mouse.move(0, 0);
    await page.locator('.path-steps').waitFor({ state: 'detached' });
  });

  it('stops a run, after asking once more', async () => {
    const { run, store } = await asking();
    const { page } = await open(store);
    await page.getByRole('button', { name: 'Stop' }).click();
    expect(run.state).toBe('awaitPermission.asking');
    await page.getByRole('button', { name: 'Really stop?' }).click();
    await page.locator('.pill-cancelled').first().waitFor();
    expect((await run.outcome).status).toBe('cancelled');
  });

  it('windows its rows, and hides hooks and what did not fail', async () => {
    const script = Array.from({ length: 40 }, (_, index) => callNote(`note ${index}`));
    const { run, store } = startRun([...script, answer('ok')], {
      limits: { turns: 50, repeatedCalls: 99 },
    });
    await run.outcome;
    await run.saved();
    const { page } = await open(store);
    await page.locator('.row[aria-current=step]', { hasText: 'parseReply' }).waitFor();
    expect(await page.locator('.row').count()).toBeLessThan(80);
    await page.getByLabel('Failed only').check();
    await said(page, 'No step matches.');
  });
});

interface AxeViolation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}
