import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { expandRow, isSkipped, judgeRows } from './rows.ts';

const folder = mkdtempSync(join(tmpdir(), 'cases-'));
afterAll(() => rmSync(folder, { recursive: true }));

function cases(...words: string[]) {
  const script = new URL('./run.ts', import.meta.url).pathname;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', script, ...words],
    {
      encoding: 'utf8',
    },
  );
  return { status, stderr, lines: stdout.trimEnd().split('\n') };
}

function file(name: string, rows: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(rows));
  return path;
}

describe('the cases command', () => {
  it('prints each failing row with expected and got, then the totals', () => {
    const path = file('rows.json', [
      { id: 'good', arguments: '{}', expected: { ok: true, value: {} } },
      { id: 'bad', arguments: '{', expected: { ok: true, value: {} } },
      { id: 'words', scenario: true },
    ]);
    expect(cases('tool-arguments', path)).toEqual({
      status: 1,
      stderr: '',
      lines: [
        'bad',
        '  expected {"ok":true,"value":{}}',
        '  got      {"ok":false,"code":"truncated"}',
        '1 passed, 1 failed, 1 skipped',
      ],
    });
  });

  it('exits 0 when none failed, over several files', () => {
    const row = { id: 'good', input: '', expected: { kind: 'error', code: 'empty' } };
    const path = file('empty.json', [row]);
    expect(cases('react-text', path, path)).toMatchObject({
      status: 0,
      lines: ['2 passed, 0 failed, 0 skipped'],
    });
  });

  it.each([
    [[], 'usage:'],
    [['poems', 'x.json'], 'unknown kind "poems"'],
    [['react-text'], 'usage:'],
    [['react-text', join(folder, 'missing.json')], 'ENOENT'],
    [['react-text', file('object.json', {})], 'is not a JSON array of rows'],
  ])('exits 2 and says why for %j', (words, message) => {
    const { status, stderr, lines } = cases(...words);
    expect({ status, lines }).toEqual({ status: 2, lines: [''] });
    expect(stderr).toContain(message);
  });
});

describe('rows', () => {
  it('have their tokens replaced in every string', () => {
    const expand = [{ token: '{{A}}', unit: 'xy', count: 2 }];
    expect(
      expandRow({ id: 'a', input: '{{A}}-{{A}}', expected: { list: ['{{A}}'] }, expand }),
    ).toEqual({
      id: 'a',
      input: 'xyxy-xyxy',
      expected: { list: ['xyxy'] },
    });
  });

  it('are skipped for another platform', () => {
    expect(isSkipped({ id: 'a', platform: process.platform })).toBe(false);
    expect(isSkipped({ id: 'a', platform: 'any' })).toBe(false);
    expect(isSkipped({ id: 'a', platform: 'other' })).toBe(true);
  });

  it('fail when their judge throws', async () => {
    const report = await judgeRows([{ id: 'a', expected: 1 }], () => {
      throw new Error('no');
    });
    expect(report.failed).toEqual([{ id: 'a', expected: 1, got: { thrown: 'Error: no' } }]);
  });
});
