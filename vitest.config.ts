import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/temporary.ts'],
    setupFiles: ['test/setup.ts'],
    exclude: ['test/slow/**', 'node_modules/**'],
    // oclif writes to the real stdout; vitest must not stand between.
    disableConsoleIntercept: true,
    pool: 'forks',
    // The files of one process share what they import: the tables of the language, the runtime and the schemas are read once a process,
    // not once a file, which is a quarter of the whole.
    isolate: false,
    // One for each core: by default vitest keeps one for itself.
    maxWorkers: '100%',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Commands run in the tests' process as they were built: oclif imports them from dist/, and what tests import from there is the same.
    server: { deps: { external: [new RegExp(`^${fileURLToPath(new URL('dist/', import.meta.url))}`)] } },
  },
});
