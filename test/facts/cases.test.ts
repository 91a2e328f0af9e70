import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { paths } from '../cases/kinds/paths.ts';
import { urls } from '../cases/kinds/urls.ts';

const fileOf = (kind: string) => fileURLToPath(new URL(`../cases/${kind}.json`, import.meta.url));

describe('cases of facts', () => {
  it('judges every path of the tree as its row says', async () => {
    const { failed, passed } = await paths.run(fileOf('paths'));
    expect(failed).toEqual([]);
    expect(passed).toBeGreaterThan(100);
  });

  it('judges every service URL as its row says', async () => {
    const { failed, passed } = await urls.run(fileOf('urls'));
    expect(failed).toEqual([]);
    expect(passed).toBeGreaterThan(80);
  });
});
