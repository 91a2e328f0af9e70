import { describe, expect, it } from 'vitest';
import { answer, asked } from '../run/support.ts';
import { skipsBrowser } from './browser.ts';
import { asking, inChromium, rows, said, serve } from './page.ts';
import { startRun } from './seed.ts';

describe.skipIf(skipsBrowser())('the inspector page: servers and tabs that go away', () => {
  const { open, closing } = inChromium();

  it('outlives its server: says that it is disconnected, and catches up by event id', async () => {
    const { run, store } = await asking(['only']);
    const { server, page } = await open(store);
    await page.locator('.approve').waitFor();
    await server.close();
    await said(page, 'Disconnected from the server; trying again');
    run.approve(asked(run));
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

  it('takes no connection while out of sight, so that many tabs leave room for an answer', async () => {
    const { run, store } = await asking(['only']);
    const { server, page } = await open(store);
    const tabs = [page];
    // Six connections are all that a browser opens to a server.
    while (tabs.length < 7) {
      const tab = await page.context().newPage();
      await tab.addInitScript(() => {
        let isHidden = false;
        Object.defineProperty(document, 'hidden', { get: () => isHidden });
        addEventListener('test.see', ({ detail }: CustomEventInit<boolean>) => {
          isHidden = detail === false;
          document.dispatchEvent(new Event('visibilitychange'));
        });
      });
      await tab.goto(server.url);
      await tab.locator('.approve').waitFor();
      const glanced = tab.waitForResponse((response) => response.url().endsWith('/api/runs'));
      await tab.evaluate(() => dispatchEvent(new CustomEvent('test.see', { detail: false })));
      await glanced;
      tabs.push(tab);
    }
    await page.locator('.approve').click();
    await said(page, 'All noted.');
    await run.outcome;
    const last = tabs.at(-1) ?? page;
    await last.evaluate(() => dispatchEvent(new CustomEvent('test.see', { detail: true })));
    await said(last, 'All noted.');
  });

  it('says so in words when the run that is shown was deleted, and stays connected', async () => {
    const { run, store } = startRun([answer('Done.')], { prompt: 'First' });
    await run.outcome;
    await run.close();
    const { server, page } = await open(store);
    await said(page, 'Done.');
    const other = startRun([answer('Other.')], { store, prompt: 'Second' });
    await other.run.outcome;
    await store.remove(run.id);
    await said(page, 'this run is not in the store; it may have been deleted.');
    await page.getByRole('button', { name: '中文' }).click();
    await said(page, '存储里没有这个运行，可能已经删除。');
    await server.close();
    await said(page, '与服务器的连接断开');
    const again = await serve(store, { port: server.port });
    closing.push(again.close);
    await page.locator('.banner').waitFor({ state: 'hidden' });
    await page.locator('.run', { hasText: 'Second' }).click();
    await said(page, 'Other.');
    expect(await page.locator('[role=alert]').allInnerTexts()).toEqual(['']);
  });

  it('fetches what was chosen while the server was away', async () => {
    const { run, store } = startRun([answer('Done.')], { prompt: 'First' });
    await run.outcome;
    const other = startRun([answer('Other.')], { store, prompt: 'Second' });
    await other.run.outcome;
    const { server, page } = await open(store);
    await said(page, 'Other.');
    await server.close();
    await said(page, 'Disconnected from the server');
    await page.keyboard.press('k');
    await page.locator('.details', { hasText: 'Loading' }).waitFor();
    const again = await serve(store, { port: server.port });
    closing.push(again.close);
    await page.locator('.details pre').first().waitFor();
    await again.close();
    await said(page, 'Disconnected from the server');
    await page.locator('.run', { hasText: 'First' }).click();
    closing.push((await serve(store, { port: server.port })).close);
    await said(page, 'Done.');
  });

  it('works where the browser keeps nothing, and with choices it does not know', async () => {
    const { store } = await asking(['only']);
    const { page, server } = await open(store);
    await page.evaluate(() => localStorage.setItem('agenthub.theme', 'pink'));
    await page.reload();
    await page.getByRole('button', { name: 'Theme: auto' }).waitFor();
    await page.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(window, name, {
          get: () => {
            throw new DOMException('The operation is insecure.', 'SecurityError');
          },
        });
    });
    await page.goto('about:blank');
    await page.goto(server.url);
    await page.getByRole('button', { name: 'Theme: auto' }).click();
    await page.getByRole('button', { name: 'Theme: light' }).waitFor();
    await page.locator('.deny').click();
    await said(page, 'All noted.');
  });

  it('catches up with a run that ended while its tab was hidden', async () => {
    const { run, store } = await asking(['only']);
    const { page } = await open(store);
    await page.locator('.approve').waitFor();
    const devtools = await page.context().newCDPSession(page);
    // What a browser does to a tab in the background: nothing runs in it any more.
    await devtools.send('Page.setWebLifecycleState', { state: 'frozen' });
    run.approve(asked(run));
    await run.outcome;
    await run.saved();
    await devtools.send('Page.setWebLifecycleState', { state: 'active' });
    await said(page, 'All noted.');
    await page.locator('.pill-done').first().waitFor();
    await page.locator('.decision').waitFor({ state: 'hidden' });
    expect(await page.title()).toBe('AgentHub inspector');
    expect((await rows(page)).length).toBe(10);
  });
});
