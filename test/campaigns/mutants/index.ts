/**
 * @file Mutants of the code whose errors nobody would see: figures, journals, verdicts. A trial is a source; its tests must notice most of
 * the changes that StrykerJS makes to it, one at a time. Survivors are printed with their place.
 */
import { join } from 'node:path';
import type { Campaign, Trial } from '../campaign.js';

/** Share of the mutants that a source's tests must kill. */
const LEAST = 0.85;

/** Source -> the tests that answer for it, in seconds. */
export const SOURCES: Readonly<Record<string, readonly string[]>> = {
  'src/core/statistics/auroc.ts': ['core/auroc', 'results/decided-figures'],
  'src/core/statistics/bootstrap.ts': ['core/bootstrap', 'results/decided-figures'],
  'src/core/statistics/paired.ts': ['core/paired'],
  'src/core/statistics/seed-differences.ts': ['core/seed-differences'],
  'src/core/statistics/stats.ts': ['core/stats', 'core/decision', 'gate/judge'],
  'src/gate/threshold.ts': ['gate/threshold', 'gate/judge'],
  'src/gate/judge.ts': ['gate/judge', 'gate/threshold'],
  'src/gate/changes.ts': ['gate/changes', 'gate/baseline', 'gate/judge'],
  'src/gate/baseline-comparison.ts': ['gate/comparison', 'gate/baseline'],
  'src/gate/baseline.ts': ['gate/baseline'],
  'src/run/journal.ts': ['run/resume', 'run/damage', 'run/folder'],
  'src/run/folder.ts': ['run/resume', 'run/damage', 'run/folder'],
};

export const testFile = (test: string): string => `test/${test}.test.ts`;

const sources = Object.entries(SOURCES);

export const mutants: Campaign = {
  name: 'mutants',
  summary: `changes to statistics, journal and gate: their tests notice ${100 * LEAST} %`,
  count: sources.length,
  async open(home) {
    const { Stryker } = await import('@stryker-mutator/core');
    // One at a time: they say in the environment which tests are theirs.
    let before: Promise<unknown> = Promise.resolve();
    return {
      trial(number) {
        const [source, tests] = sources[number % sources.length] as (typeof sources)[number];
        const mutated = before.then(async (): Promise<Trial> => {
          process.env.MUTANTS_TESTS = tests.map(testFile).join();
          process.env.TEST_WHOLE = '1';
          const found = await new Stryker({
            mutate: [source],
            plugins: ['@stryker-mutator/vitest-runner'],
            testRunner: 'vitest',
            vitest: { configFile: 'test/campaigns/mutants/vitest.config.ts', related: false },
            coverageAnalysis: 'perTest',
            concurrency: 1,
            reporters: ['clear-text'],
            clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
            allowConsoleColors: false,
            tempDirName: join(home, 'sandbox'),
            ignorePatterns: [
              'dist/*',
              '!dist/vendor',
              'docs',
              'site',
              'bench',
              'deploy',
              'models',
              'release',
              '.ci',
              'test/slow',
            ],
          }).runMutationTest();
          return judged(
            source,
            found.map(({ status }) => status),
          );
        });
        before = mutated.catch(() => undefined);
        return mutated;
      },
      async [Symbol.asyncDispose]() {},
    };
  },
};

/** A source without mutants is a fault: nothing was tried. */
export function judged(source: string, ends: readonly string[]): Trial {
  const killed = ends.filter((end) => end === 'Killed' || end === 'Timeout').length;
  const all = ends.filter((end) => ['Killed', 'Timeout', 'Survived', 'NoCoverage'].includes(end)).length;
  const fault = `expected at least ${100 * LEAST} % killed, got ${all === 0 ? 'no mutants' : `${((100 * killed) / all).toFixed(1)} %`}`;
  return { kind: source, ended: `${killed} of ${all} killed`, ...((all === 0 || killed < LEAST * all) && { fault }) };
}
