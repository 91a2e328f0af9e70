import { readFileSync } from 'node:fs';

/** Fills what stands between `<!-- name -->` and `<!-- /name -->` in a text written by hand. */
export function filled(path: string, parts: Readonly<Record<string, string>>): string {
  let text = readFileSync(path, 'utf8');
  for (const [name, content] of Object.entries(parts)) {
    const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const from = text.indexOf(start);
    const to = text.indexOf(end);
    if (from < 0 || to < from)
      throw new Error(`${path}: the markers ${start} … ${end} are missing.`);
    text = `${text.slice(0, from + start.length)}\n${content}\n${text.slice(to)}`;
  }
  return text;
}
