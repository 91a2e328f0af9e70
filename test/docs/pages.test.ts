import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const read = (path: string) => readFileSync(path, 'utf8');
const READMES = ['README.md', 'README.zh-CN.md'];
const PAGES = [
  ...[...READMES, 'CONTRIBUTING.md', 'machines/agent/README.md'],
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

/** A page without its blocks of code. */
const prose = (text: string) => text.replace(/^```[^]*?^```$/gmu, '');

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(path: string): string[] {
  return [...prose(read(path)).matchAll(/^#+ (.+)$/gmu)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Links that lead to nothing: a file that is not there, or a heading that it has not. */
function brokenLinks(path: string): string[] {
  const links = [...prose(read(path)).matchAll(/\]\(([^)\s]+)\)/gu)].map(([, link = '']) => link);
  return links.filter((link) => {
    if (/^https?:/u.test(link)) return false;
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? path : join(dirname(path), file);
    if (!existsSync(target)) return true;
    return anchor !== undefined && !anchorsOf(target).includes(anchor);
  });
}

it.each(PAGES)('%s: every link leads to a file and a heading that exist', (path) => {
  expect(brokenLinks(path)).toEqual([]);
});

it.each([
  ['a file that is not there', '[a](nowhere.md)'],
  ['a heading that is not there', '[a](README.md#nothing-of-the-kind)'],
])('a link to %s is found', (_, text) => {
  const [, link = ''] = /\((.*)\)/u.exec(text) ?? [];
  const [file = '', anchor = ''] = link.split('#');
  expect(existsSync(file) && anchorsOf(file).includes(anchor)).toBe(false);
});

describe('blocks of code', () => {
  const examples = readdirSync('docs/examples').map((name) => read(join('docs/examples', name)));
  const withoutImports = (code: string) => code.replace(/^import [^;]*;\n+/gmu, '').trim();
  const isExample = (code: string) =>
    examples.some((example) => withoutImports(example).includes(withoutImports(code)));
  /** JSON that shows a part of a configuration; test/cli holds the schema to what it accepts. */
  const EXCEPTIONS = ['README.md: json 1', 'README.zh-CN.md: json 1'];

  it('come from an example, each of them', () => {
    const strays = PAGES.flatMap((path) => {
      const counts: Record<string, number> = {};
      return [...read(path).matchAll(/^```(ts|js|json)\n([^]*?)^```$/gmu)].flatMap(
        ([, language = '', code = '']) => {
          counts[language] = (counts[language] ?? 0) + 1;
          return isExample(code) ? [] : [`${path}: ${language} ${counts[language]}`];
        },
      );
    });
    expect(strays).toEqual(EXCEPTIONS);
  });

  it('bring the imports of what they use from this package', () => {
    const names = /\b(createAgent|defineTool|defineHook|offlineModel|scriptedModel|verify)\(/gu;
    const missing = PAGES.flatMap((path) =>
      [...read(path).matchAll(/^```ts\n([^]*?)^```$/gmu)].flatMap(([, code = '']) =>
        [...code.matchAll(names)].flatMap(([, name = '']) =>
          new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from`, 'u').test(code)
            ? []
            : [`${path}: ${name}`],
        ),
      ),
    );
    expect(missing).toEqual([]);
  });
});

describe('the package', () => {
  const { files } = JSON.parse(read('package.json')) as { files: readonly string[] };
  const isPacked = (path: string) =>
    ['package.json', 'README.md', 'LICENSE'].includes(path) ||
    files.some((entry) =>
      /\/\*\.\w+$/u.test(entry)
        ? dirname(path) === dirname(entry) && extname(path) === extname(entry)
        : path === entry || path.startsWith(`${entry}/`),
    );

  it('holds everything that its pages link to', () => {
    const packed = PAGES.filter((path) => READMES.includes(path) || isPacked(path));
    const missing = packed.flatMap((path) =>
      [...prose(read(path)).matchAll(/\]\((?!https?:)([^)#\s]+)(?:#[^)]*)?\)/gu)]
        .map(([, link = '']) => relative('.', join(dirname(path), link)))
        .filter((target) => existsSync(target) && statSync(target).isFile() && !isPacked(target))
        .map((target) => `${path}: ${target}`),
    );
    expect(missing).toEqual([]);
  });
});

it('docs/reference.md has every type of event and every code of a refusal', () => {
  const page = read('docs/reference.md');
  const types = read('src/run/run.types.ts');
  const events = [...types.matchAll(/readonly type: '([^']+)'/gu)].map(([, type]) => type);
  const codes = [...types.matchAll(/^ +\| '(\w+)'$/gmu)].map(([, code]) => code);
  expect(events.length).toBeGreaterThan(5);
  expect(codes.length).toBeGreaterThan(5);
  for (const name of [...events, ...codes]) expect(page).toContain(`| \`${name}\` |`);
});
