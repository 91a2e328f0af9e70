import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDefaultTools } from '../../src/run/default-tools.ts';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import { answer, callNote, scriptedAgent } from '../run/support.ts';
import { skipsBrowser } from './browser.ts';
import { asking, inChromium, said } from './page.ts';
import { asks, startRun, untilStoredQuestion } from './seed.ts';

describe.skipIf(skipsBrowser())('the inspector page: deciding, going on, stopping', () => {
  const { open, openPage } = inChromium();

  it('approves and denies item by item; the heading has the focus, never a button', async () => {
    const { run, store, started } = await asking();
    const { page } = await open(store);
    const heading = page.locator('#decision');
    await heading.waitFor();
    await page.waitForFunction(() => document.activeElement?.id === 'decision');
    expect(await heading.innerText()).toContain('2 left');
    expect(await page.title()).toBe('(2) AgentHub inspector');
    const first = page.locator('.question').first();
    expect(await first.locator('pre').first().innerText()).toBe('{\n  "text": "first"\n}');
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

  it('takes no second click that was meant for the question before', async () => {
    const { run, store, started } = await asking(['a', 'b', 'c', 'd']);
    const { page } = await open(store);
    const approve = page.locator('.approve');
    await approve.first().click();
    await page.locator('.question').nth(3).waitFor({ state: 'detached' });
    await page.locator('.approve[aria-disabled=false]').first().waitFor();
    // From here on time stands still in the page: whatever moves has moved just now.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    const place = await approve.first().boundingBox();
    const [x, y] = [(place?.x ?? 0) + 20, (place?.y ?? 0) + 10];
    await page.mouse.click(x, y);
    await page.locator('.question').nth(2).waitFor({ state: 'detached' });
    const under = await page.evaluate((at) => document.elementFromPoint(at.x, at.y)?.className, {
      x,
      y,
    });
    expect(under).toBe('approve');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.mouse.click(x, y);
    await page.clock.runFor(1_000);
    await page.mouse.click(x, y);
    await page.locator('.question').nth(1).waitFor({ state: 'detached' });
    expect(asked.filter((url) => url.endsWith('/answer'))).toHaveLength(1);
    expect(run.questions.map(({ callId }) => callId)).toEqual(['1.3']);
    run.deny('1.3', '', { by: 'terminal' });
    await run.outcome;
    expect(started).toEqual(['a', 'b', 'c']);
  });

  it('shows what is invisible or turns text round as its code', async () => {
    const { run, store } = await asking(['a\u202egnp.exe\u200b b\u00a0c\n<b>d</b>']);
    const { page } = await open(store);
    expect(await page.locator('.question pre').first().innerText()).toBe(
      '{\n  "text": "a\\u{202e}gnp.exe\\u{200b} b\\u{a0}c\\n<b>d</b>"\n}',
    );
    run.cancel();
    await run.outcome;
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

  it('shows the pictures of an image call, and says when one has changed since', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agenthub-page-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const plain = { width: 60, height: 40, channels: 3, background: '#48a' } as const;
    await sharp({ create: plain }).jpeg().toFile(join(folder, 'a.jpg'));
    await sharp({ create: plain }).png().toFile(join(folder, 'b.png'));
    const input = { input: 'a.jpg', output: 'b.png', width: 20 };
    const { run, store } = startRun(
      [{ calls: [{ name: 'image_scaling', arguments: input, id: 'i' }] }],
      { tools: createDefaultTools({ workingFolder: folder, knowledgeFolder: folder }) },
    );
    await untilStoredQuestion(run);
    const { server, page } = await open(store);
    for (const name of ['Input picture', 'Picture that would be overwritten']) {
      const picture = page.getByAltText(name);
      await picture.waitFor();
      const width = await picture.evaluate((image: HTMLImageElement) => image.naturalWidth);
      expect([name, width]).toEqual([name, 60]);
    }
    await page.locator('.question summary', { hasText: 'What was looked up' }).click();
    await page.getByLabel('What was looked up').getByText('"outputExists": true').waitFor();
    writeFileSync(join(folder, 'a.jpg'), 'changed');
    const later = await openPage(server.url);
    await said(later, 'The file has changed since it was inspected');
    expect(await later.getByAltText('Input picture').count()).toBe(0);
    run.cancel();
    await run.outcome;
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
    expect(passed).toEqual(['PRE', 'SUMMARY', 'SUMMARY', 'INPUT', 'approve BUTTON']);
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.locator('.chart-box').focus();
    const placed = () => page.locator('.chart-box svg > g').getAttribute('transform');
    const before = await placed();
    await page.keyboard.press('ArrowDown');
    await expect.poll(placed).not.toBe(before);
    await page.locator('.approve').focus();
    await page.keyboard.press('Enter');
    await said(page, 'All noted.');
    await run.outcome;
    expect(started).toEqual(['only']);
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

  it('stops a run, after asking once more', async () => {
    const { run, store } = await asking();
    const { page } = await open(store);
    // The second click of a double click does not count as the second word.
    await page.getByRole('button', { name: 'Stop' }).dblclick();
    expect(run.state).toBe('awaitPermission.asking');
    await page.getByRole('button', { name: 'Really stop?' }).click();
    await page.locator('.pill-cancelled').first().waitFor();
    expect((await run.outcome).status).toBe('cancelled');
  });
});
