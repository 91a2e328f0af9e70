import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { CaseKind } from '../cases/case-kind.ts';
import { reactText } from '../cases/kinds/react-text.ts';
import { toolArguments } from '../cases/kinds/tool-arguments.ts';

describe.each<[string, CaseKind]>([
  ['react-text', reactText],
  ['tool-arguments', toolArguments],
])('the rows of %s', (name, kind) => {
  it('are all read as they say', async () => {
    const file = new URL(`../cases/${name}.json`, import.meta.url).pathname;
    const rows = JSON.parse(await readFile(file, 'utf8')) as unknown[];
    const report = await kind.run(file);
    expect(report.failed).toEqual([]);
    expect(report).toMatchObject({ passed: rows.length, skipped: 0 });
  });
});
