import { describe, expect, it } from 'vitest';
import { skipsBrowser } from './browser.ts';
import { asking, inChromium, rows, said, serve } from './page.ts';

describe.skipIf(skipsBrowser())('the inspector page: servers and tabs that go away', () => {
  const { open, closing } = inChromium();

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
});
