import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { createInspectorHandler, type RestoreRun } from '../../src/inspector/index.ts';
import type { RunStore } from '../../src/run/store/store.types.ts';
import { answer, callNote } from '../run/support.ts';
import { launchChromium } from './browser.ts';
import { asks, startRun, untilStoredQuestion } from './seed.ts';

export const TOKEN = 'token-of-the-tests';

interface Serving {
  readonly port?: number;
  readonly restore?: RestoreRun;
}

/** The inspector on a port that it can come back to, as after a restart. */
export async function serve(store: RunStore, { port = 0, restore }: Serving = {}) {
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

/** A Chromium for the tests of a file; what a page complains of fails the test it was opened in. */
export function inChromium() {
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

  return { open, openPage, closing };
}

/** A run of two questions, stored up to them. */
export async function asking(texts: readonly string[] = ['first', 'second']) {
  const seeded = startRun([callNote(...texts), answer('All noted.')], asks);
  await untilStoredQuestion(seeded.run);
  return seeded;
}

export const rows = (page: Page) => page.locator('.row .row-what').allInnerTexts();
export const active = (page: Page) => page.locator('.state.active:not(.state-compound)');
export const said = (page: Page, text: string) => page.getByText(text).first().waitFor();
