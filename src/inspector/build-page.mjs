import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Builds the inspector page into dist/inspector; part of `npm run build`. */
const root = fileURLToPath(new URL('../../', import.meta.url));
const page = `${root}src/inspector/page`;
const out = `${root}dist/inspector`;
mkdirSync(out, { recursive: true });
await build({
  entryPoints: { page: `${page}/main.tsx`, relay: `${page}/relay.ts` },
  outdir: out,
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['es2022'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  logLevel: 'warning',
});
for (const name of ['index.html', 'icon.svg']) copyFileSync(`${page}/${name}`, `${out}/${name}`);
copyFileSync(`${root}src/inspector/chart.layout.json`, `${out}/chart.json`);

// Only the part of the verification that is drawn.
const verification = `${root}docs/verification.json`;
rmSync(`${out}/coverage.json`, { force: true });
if (existsSync(verification)) {
  const { coverage } = JSON.parse(readFileSync(verification, 'utf8'));
  const { paths, microsteps, transitions, witnesses } = coverage;
  const taken = transitions.map((transition) => transition.taken);
  writeFileSync(`${out}/coverage.json`, JSON.stringify({ paths, microsteps, taken, witnesses }));
}
