import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { launchChromium } from '../test/inspector/browser.ts';

/**
 * Takes the pictures of the terminal for the docs, part of `npm run pictures`: the built command
 * line in a real terminal (tmux), drawn by Chromium as the terminal shows it.
 */
const FOLDER = resolve('docs/pictures');
const [COLUMNS, ROWS] = [92, 27];

const SHOTS = [
  {
    name: 'terminal-en',
    locale: 'en_US.UTF-8',
    task: 'First look up how to get an invoice, then resize photo.jpg to 160 px wide and save it as small.webp',
    asks: 'y approve once',
  },
  {
    name: 'terminal-zh',
    locale: 'zh_CN.UTF-8',
    task: '先查一下发票怎么开，再把 photo.jpg 缩放到 160 宽，存成 small.webp',
    asks: 'y 批准这一次',
  },
] as const;

const folder = mkdtempSync(join(tmpdir(), 'agenthub-terminal-'));
const tmux = (...args: readonly string[]) =>
  execFileSync('tmux', ['-L', 'agenthub-pictures', '-f', '/dev/null', ...args], {
    encoding: 'utf8',
    env: { ...process.env, LANG: 'C.UTF-8' },
  });

/** The screen with its colours, once it shows a text. */
async function screenWith(text: string): Promise<string> {
  for (let tries = 0; tries < 100; tries += 1) {
    const screen = tmux('capture-pane', '-p', '-e', '-t', 'shot');
    if (stripVTControlCharacters(screen).includes(text)) return screen.trimEnd();
    await new Promise((settle) => setTimeout(settle, 200));
  }
  throw new Error(`The terminal never showed "${text}".`);
}

const COLORS: Readonly<Record<string, string>> = {
  '31': '#ff8f87',
  '32': '#56d364',
  '33': '#e3b341',
  '34': '#79c0ff',
  '35': '#bc8cff',
  '36': '#76e3ea',
};

const escapeHtml = (text: string) => text.replace(/[&<>]/gu, (sign) => `&#${sign.codePointAt(0)};`);

/** Text with colour codes as HTML; each piece carries the codes in effect. */
function toHtml(screen: string): string {
  let style: Record<string, string> = {};
  return screen
    .split(/(\u001b\[[\d;]*m)/u)
    .map((part) => {
      const codes = /^\u001b\[([\d;]*)m$/u.exec(part)?.[1];
      if (codes === undefined) {
        const css = Object.entries(style).map(([name, value]) => `${name}:${value}`);
        return part === '' ? '' : `<span style="${css.join(';')}">${escapeHtml(part)}</span>`;
      }
      for (const code of codes.split(';')) {
        if (code === '' || code === '0') style = {};
        if (code === '1') style['font-weight'] = '700';
        if (code === '2') style.opacity = '0.65';
        if (code === '22') style = { ...(style.color !== undefined && { color: style.color }) };
        if (code === '39') delete style.color;
        const color = COLORS[code];
        if (color !== undefined) style.color = color;
      }
      return '';
    })
    .join('');
}

async function draw(browser: Browser, name: string, screen: string): Promise<void> {
  const page = await browser.newPage({ deviceScaleFactor: 2 });
  await page.setContent(
    `<body style="margin:0;display:inline-block;background:#0d1117"><pre style="margin:0;padding:16px 20px;width:${COLUMNS}ch;color:#e6edf3;font:14px/1.4 'DejaVu Sans Mono','Noto Sans Mono CJK SC',monospace">${toHtml(screen)}</pre></body>`,
  );
  await page.locator('body').screenshot({ path: join(FOLDER, `${name}.png`) });
  await page.close();
  console.log(`wrote docs/pictures/${name}.png`);
}

try {
  mkdirSync(FOLDER, { recursive: true });
  const main = resolve('dist/src/cli/main.js');
  writeFileSync(join(folder, 'agenthub'), `#!/bin/sh\nexec ${process.execPath} ${main} "$@"\n`, {
    mode: 0o755,
  });
  writeFileSync(
    join(folder, 'agenthub.config.json'),
    JSON.stringify({ knowledge: resolve('knowledge'), model: { provider: 'offline' } }),
  );
  const picture = sharp({
    create: { width: 640, height: 400, channels: 3, background: '#4aa3df' },
  });
  await picture.clone().jpeg().toFile(join(folder, 'photo.jpg'));
  const browser = await launchChromium();
  for (const { name, locale, task, asks } of SHOTS) {
    await picture.clone().webp().toFile(join(folder, 'small.webp'));
    const size = ['-x', String(COLUMNS), '-y', String(ROWS)];
    const shell = `env -i PATH='${folder}:/usr/bin:/bin' HOME='${folder}' TERM=screen-256color LANG=C.UTF-8 PS1='$ ' sh`;
    tmux('new-session', '-d', '-s', 'shot', ...size, '-c', folder, shell);
    await screenWith('$');
    tmux('send-keys', '-t', 'shot', `export LC_ALL=${locale} && clear`, 'Enter');
    tmux('send-keys', '-t', 'shot', '-l', `agenthub run "${task}"`);
    tmux('send-keys', '-t', 'shot', 'Enter');
    await draw(browser, name, await screenWith(asks));
    tmux('kill-session', '-t', 'shot');
  }
  await browser.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
