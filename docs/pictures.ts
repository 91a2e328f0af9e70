import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import sharp from 'sharp';
import { createAgent, createDefaultTools, memoryStore } from '../src/index.ts';
import { startInspector } from '../src/inspector/index.ts';
import { offlineModel } from '../src/offline/index.ts';
import { scriptedModel } from '../src/testing/scripted-model.ts';
import { launchChromium } from '../test/inspector/browser.ts';

/**
 * Takes the pictures of the inspector page for the docs: `npm run pictures`. Needs a Chromium and a
 * Chinese font; the runs are made here, with a model that follows a script.
 */
const FOLDER = resolve('docs/pictures');

const PICTURES = [
  { name: 'page-light', colorScheme: 'light', locale: 'en-US', width: 1440, height: 900, back: 0 },
  { name: 'page-dark', colorScheme: 'dark', locale: 'zh-CN', width: 1440, height: 900, back: 0 },
  { name: 'page-past', colorScheme: 'light', locale: 'en-US', width: 1440, height: 900, back: 3 },
  { name: 'page-narrow', colorScheme: 'light', locale: 'zh-CN', width: 400, height: 860, back: 0 },
] as const;

const usage = { inputTokens: 1203, outputTokens: 88 };
const resize = (output: string, width: number) => ({
  name: 'image_scaling',
  id: output,
  arguments: { input: 'photo.jpg', output, width },
});
const todos = ['Look up the rules for returns', 'Resize the photo', 'Write the answer'].map(
  (content, index) => ({
    content,
    status: (['in_progress', 'pending'] as const)[Math.min(index, 1)] ?? '',
  }),
);

const folder = mkdtempSync(join(tmpdir(), 'agenthub-pictures-'));
const store = memoryStore();
const draw = (color: string) =>
  sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="400"><rect width="640" height="400" fill="${color}"/><circle cx="470" cy="120" r="60" fill="#fff8"/><path d="M0 400 220 180 360 320 460 240 640 400z" fill="#0006"/></svg>`,
    ),
  );

const agentOf = (model: ReturnType<typeof offlineModel>) =>
  createAgent({
    model,
    store,
    locale: 'zh',
    tools: createDefaultTools({ workingFolder: folder, knowledgeFolder: resolve('knowledge') }),
  });

try {
  await draw('#4aa3df').jpeg().toFile(join(folder, 'photo.jpg'));
  await draw('#df8a4a').webp().toFile(join(folder, 'small.webp'));
  await draw('#7fb069').webp().toFile(join(folder, 'icon.webp'));

  const offline = agentOf(offlineModel());
  for (const prompt of ['七天无理由退货的运费由谁承担？', '会员积分会过期吗？'])
    await offline.start(prompt).outcome;
  const scripted = agentOf(
    scriptedModel([
      {
        usage,
        calls: [
          { name: 'todo_write', id: 't', arguments: { todos } },
          { name: 'knowledge_search', id: 'k', arguments: { keywords: '退货' } },
        ],
      },
      { usage, calls: [resize('small.webp', 320), resize('icon.webp', 64)] },
    ]),
  );
  const run = scripted.start('Look up the rules for returns and resize the photo 缩放照片');
  for await (const event of run) if (event.type === 'permission.requested') break;
  await run.saved();

  mkdirSync(FOLDER, { recursive: true });
  const inspector = await startInspector({ store });
  const browser = await launchChromium();
  for (const { name, width, height, back, ...look } of PICTURES) {
    const context = await browser.newContext({ ...look, viewport: { width, height } });
    const page = await context.newPage();
    await page.goto(inspector.urlOf(run.id));
    await page.locator('.pictures img').nth(3).waitFor();
    await page.locator('.approve[aria-disabled=false]').first().waitFor();
    for (let step = 0; step < back; step += 1) await page.keyboard.press('k');
    if (back > 0) await page.locator('.details pre').first().waitFor();
    await page.screenshot({ path: join(FOLDER, `${name}.png`) });
    await context.close();
    console.log(`wrote docs/pictures/${name}.png`);
  }
  await browser.close();
  await inspector.close();
  await run.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
