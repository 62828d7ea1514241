import { defineConfig } from 'vitest/config';
import { lasting } from '../../calibration.js';

/** Tests of a mutated source: they import the source itself, not what `npm run build` compiled of it. */
export default defineConfig({
  test: {
    include: process.env.MUTANTS_TESTS?.split(',') ?? [],
    setupFiles: ['test/setup.ts'],
    testTimeout: lasting(300_000),
  },
});
