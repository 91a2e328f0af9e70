import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

/** The files that an import of this one loads. */
async function loadedBy(entry: string): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  return Object.keys(metafile.inputs);
}

describe('the main entry', () => {
  it('loads the engine, and not the offline model', async () => {
    const files = await loadedBy('src/index.ts');
    expect(files).toContain('src/run/create-agent.ts');
    expect(files.filter((file) => file.startsWith('src/offline/'))).toEqual([]);
  });

  it('agenthub/offline loads the rules, and nothing of the engine', async () => {
    const files = await loadedBy('src/offline/index.ts');
    expect(files).toContain('src/offline/offline-model.ts');
    const others = files.filter(
      (file) => !/^(src\/(offline|support)|machines\/vocabulary)\//u.test(file),
    );
    expect(others).toEqual(['src/model/measure-request.ts']);
  });
});
