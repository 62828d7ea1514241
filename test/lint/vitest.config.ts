import { defineConfig } from 'vitest/config';
import { lasting } from '../calibration.js';
import { compiled } from '../compiled.js';

/** What is true of the sources and the documents as texts: part of `npm run lint`. */
export default defineConfig({
  plugins: [compiled()],
  test: {
    root: '.',
    include: ['test/lint/*.test.ts'],
    globalSetup: ['test/compiled.ts'],
    pool: 'forks',
    isolate: false,
    testTimeout: lasting(60_000),
  },
});
