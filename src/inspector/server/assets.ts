import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { AgentHubError } from '../../../machines/vocabulary/errors.ts';

/** A file of the page, whole. */
export interface Asset {
  readonly type: string;
  readonly content: Buffer;
  readonly zipped: Buffer;
}

/** The page's files: a fixed table. What is not in it is not served, whatever the path says. */
const FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/page.js': ['page.js', 'text/javascript; charset=utf-8'],
  '/page.css': ['page.css', 'text/css; charset=utf-8'],
  '/icon.svg': ['icon.svg', 'image/svg+xml'],
  '/chart.json': ['chart.json', 'application/json; charset=utf-8'],
  '/coverage.json': ['coverage.json', 'application/json; charset=utf-8'],
};

/**
 * Reads the page as it was built. `coverage.json` may be missing.
 * @throws AgentHubError `page_not_built`.
 */
export function loadAssets(folder: string = builtPage()): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>();
  for (const [path, [file, type]] of Object.entries(FILES)) {
    const name = `${folder}/${file}`;
    if (!existsSync(name)) continue;
    const content = readFileSync(name);
    assets.set(path, { type, content, zipped: gzipSync(content) });
  }
  if (assets.has('/') && assets.has('/page.js')) return assets;
  throw notBuilt(folder);
}

/**
 * One built file.
 * @throws AgentHubError `page_not_built`.
 */
export function loadAsset(name: string, folder: string = builtPage()): Buffer {
  if (existsSync(`${folder}/${name}`)) return readFileSync(`${folder}/${name}`);
  throw notBuilt(folder);
}

function notBuilt(folder: string): AgentHubError {
  return new AgentHubError(
    'page_not_built',
    `The inspector page is not in ${folder}. In a checkout, run npm run build first.`,
  );
}

/** `dist/inspector`, from this module's place in `dist` or in the sources. */
function builtPage(): string {
  const root = fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/u, '');
  return root.endsWith('/dist') ? `${root}/inspector` : `${root}/dist/inspector`;
}
