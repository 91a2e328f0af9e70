import { defineConfig } from 'vitest/config';

/** Rooms whose tests leave nothing behind in their process: they share one, and load it once. */
const SHARING = '{facts,hooks,machines,model,offline,permission,protocol,tools}';

export default defineConfig({
  test: {
    // Every core: many tests wait for processes and browsers of their own.
    maxWorkers: '100%',
    testTimeout: 30_000,
    hookTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: { name: 'sharing', include: [`test/${SHARING}/**/*.test.ts`], isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: ['test/**/*.test.ts'],
          exclude: [`test/${SHARING}/**`],
        },
      },
    ],
  },
});
