import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/slow/**', 'node_modules/**'],
    // oclif writes to the real stdout; vitest must not stand between.
    disableConsoleIntercept: true,
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
