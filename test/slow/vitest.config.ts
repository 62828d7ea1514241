import { defineConfig } from 'vitest/config';

/** Checks that take minutes: `npm run test:slow`. */
export default defineConfig({
  test: {
    root: '.',
    include: ['test/slow/**/*.test.ts'],
    globalSetup: ['test/temporary.ts'],
    pool: 'forks',
    testTimeout: 1_800_000,
    fileParallelism: false,
  },
});
