import axe from 'axe-core';
import { describe, expect, it } from 'vitest';
import { asked, callNote, scriptedAgent } from '../run/support.ts';
import { skipsBrowser } from './browser.ts';
import { asking, inChromium, said } from './page.ts';
import { asks, startRun } from './seed.ts';

describe.skipIf(skipsBrowser())('the inspector page: languages, themes, widths', () => {
  const { open } = inChromium();

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

  it('says in Chinese what people did', async () => {
    const { run, store } = await asking(['a', 'b']);
    run.approve(asked(run), { by: 'terminal' });
    run.deny('1.1', '', { by: 'ada · of the office' });
    await run.outcome;
    const { page } = await open(store, { locale: 'zh-CN' });
    await said(page, 'All noted.');
    const rows = await page.locator('.kind-person .row-what').allInnerTexts();
    expect(rows).toEqual(['人 已批准 1.0 · 终端', '人 已拒绝 1.1 · ada · of the office']);
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
});

interface AxeViolation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}
