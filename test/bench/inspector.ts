import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { startInspector } from '../../src/inspector/index.ts';
import { launchChromium } from '../inspector/browser.ts';
import { startRun } from '../inspector/seed.ts';
import { answer, callNote } from '../run/support.ts';
import type { Bench } from './bench.ts';

const STEPS = 5_000;
const KEYS = 60;
const LIMITS = { openMs: 1_000, keyMs: 16, bytes: 40 * 1024 };

/** What the first load fetches before a run is chosen. */
const FIRST_LOAD = ['index.html', 'page.js', 'page.css', 'chart.json', 'icon.svg'];

/** The page with a stored run of 5,000 steps, in Chromium. */
export const inspector: Bench = {
  async run() {
    const bytes = FIRST_LOAD.map((name) => readFileSync(`dist/inspector/${name}`))
      .map((content) => gzipSync(content).length)
      .reduce((sum, size) => sum + size, 0);
    const turns = Math.ceil(STEPS / 5);
    const script = Array.from({ length: turns }, (_, index) => callNote(`note ${index}`));
    const { run, store } = startRun([...script, answer('done')], {
      limits: { turns: turns + 1, toolCalls: turns, repeatedCalls: turns },
      permissions: { policies: { note: 'allow' } },
    });
    await run.outcome;
    await run.saved();
    const steps = (await store.read(run.id)).length;
    const server = await startInspector({ store });
    const browser = await launchChromium();
    try {
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
      await page.addInitScript(() => {
        const ask = globalThis.fetch;
        globalThis.fetch = async (...given) => {
          const response = await ask(...given);
          const isRun =
            /api\/runs\/[^/?]+$/u.test(String(given[0])) && !/stream$/u.test(String(given[0]));
          if (!isRun) return response;
          const value: unknown = await response.json();
          performance.mark('data');
          return new Response(JSON.stringify(value), { status: response.status });
        };
        new MutationObserver(() => {
          if (
            document.querySelector('.row') !== null &&
            performance.getEntriesByName('rows').length === 0
          )
            requestAnimationFrame(() => setTimeout(() => performance.mark('rows')));
        }).observe(document, { childList: true, subtree: true });
      });
      await page.goto(server.url);
      await page.waitForFunction(() => performance.getEntriesByName('rows').length > 0);
      const openMs = await page.evaluate(
        () =>
          (performance.getEntriesByName('rows')[0]?.startTime ?? 0) -
          (performance.getEntriesByName('data')[0]?.startTime ?? 0),
      );
      const keys = await page.evaluate(async (count) => {
        const took: number[] = [];
        let shown = '';
        for (let index = 0; index < count; index += 1) {
          const began = performance.now();
          dispatchEvent(new KeyboardEvent('keydown', { key: 'k' }));
          // Rendering is queued as microtasks. Style and layout are forced with it, of the rows and
          // of the chart; waiting for the next frame is not the page's time.
          for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
          document.querySelector('.rows')?.getBoundingClientRect();
          document.querySelector('.state.active')?.getBoundingClientRect();
          took.push(performance.now() - began);
          const current = document.querySelector('.scrubber output')?.textContent ?? '';
          if (current === shown)
            throw new Error('The key press was not rendered in what was timed.');
          shown = current;
          await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        }
        return took.toSorted((a, b) => a - b);
      }, KEYS);
      const [median, most] = [keys[Math.floor(keys.length / 2)] ?? 0, keys.at(-1) ?? 0];
      const drawn = await page.locator('.row').count();
      const line = (name: string, value: string, isIn: boolean) =>
        console.log(`${isIn ? 'ok  ' : 'OVER'} ${name}: ${value}`);
      console.log(`inspector: ${steps} steps, ${drawn} rows in the document`);
      line('first load, gzip', `${(bytes / 1024).toFixed(1)} KiB (limit 40)`, bytes < LIMITS.bytes);
      line('open after the data', `${openMs.toFixed(0)} ms (limit 1000)`, openMs < LIMITS.openMs);
      line(
        'key press',
        `median ${median.toFixed(1)} ms, most ${most.toFixed(1)} ms (limit 16)`,
        median < LIMITS.keyMs,
      );
      return bytes < LIMITS.bytes && openMs < LIMITS.openMs && median < LIMITS.keyMs;
    } finally {
      await browser.close();
      await server.close();
    }
  },
};
