import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { lasting } from './test/calibration.js';
import { compiled } from './test/compiled.js';
import { filesOf, PROJECTS } from './test/projects.js';

export default defineConfig({
  plugins: [compiled()],
  test: {
    // `npm test -- --project unit` answers while one works: nothing in it starts a process or loads a real model.
    projects: PROJECTS.map((name) => ({
      extends: true,
      test: { name, include: filesOf(name), isolate: name === 'alone' },
    })),
    globalSetup: ['test/compiled.ts', 'test/temporary.ts'],
    setupFiles: ['test/setup.ts'],
    // oclif writes to the real stdout; vitest must not stand between.
    disableConsoleIntercept: true,
    pool: 'forks',
    // The files of one process share what they import: the tables of the language, the runtime and the schemas are read once a process,
    // not once a file, which is a quarter of the whole.
    isolate: false,
    // One for each core: by default vitest keeps one for itself.
    maxWorkers: '100%',
    testTimeout: lasting(300_000),
    hookTimeout: lasting(300_000),
    // As compiled: test/compiled.ts. Commands run in the tests' process, too: oclif imports them from dist/.
    server: { deps: { external: [new RegExp(`^${fileURLToPath(new URL('dist/', import.meta.url))}`)] } },
  },
});
