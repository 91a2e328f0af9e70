import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/run/store/memory-store.ts';
import { hold } from '../../src/testing/scripted-model.ts';
import { answer, callNote } from '../run/support.ts';
import { skipsBrowser } from './browser.ts';
import { active, asking, inChromium, rows, said, TOKEN } from './page.ts';
import { startRun } from './seed.ts';

describe.skipIf(skipsBrowser())('the inspector page: watching a run', () => {
  const { open, openPage } = inChromium();

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

  it('colours what generated paths covered, and shows the path to each transition', async () => {
    const { store } = await asking();
    const { page } = await open(store);
    await page.getByRole('tab', { name: 'Coverage' }).click();
    await said(page, '58 of 58 transitions covered by generated paths');
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
