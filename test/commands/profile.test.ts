/** A profile: where the time went, on stderr and in a file; the run is the same. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { modelTime } from '../../src/app/attack.js';
import { folder, robust } from './cli.js';

const results = (cwd: string): string => {
  const runs = join(cwd, '.robust/runs');
  const [run] = readdirSync(runs, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return readFileSync(join(runs, run!.name, 'results.jsonl'), 'utf8');
};

test('a run with a profile has the same results, a table on stderr and a trace in the file', async () => {
  const [cwd, plain] = [folder(), folder()];
  const args = ['attack', '-m', 'bert-mini', '-a', 'pwws', '-n', '3'];
  const { code, stdout, stderr } = await robust([...args, '-v', '--runtime', 'profile=trace.json'], { cwd });
  // Three examples are too few for a verdict.
  expect(code).toBe(4);
  expect(stderr).toMatch(/^Where [\d.]+ s went$/m);
  for (const part of ['search', 'language', 'tokenizer', 'journal', 'waiting']) {
    expect(stderr).toMatch(new RegExp(`^  searching thread: ${part}.* s +\\d+ %$`, 'm'));
  }
  expect(stderr).toMatch(/texts computed in \d+ batches of [\d.]+.*; its (\d workers were|worker was) busy \d+ % of/);
  expect(stdout).not.toContain('Where');
  const { traceEvents } = JSON.parse(readFileSync(join(cwd, 'trace.json'), 'utf8')) as {
    traceEvents: { name: string; ph: string }[];
  };
  expect(traceEvents.filter(({ name, ph }) => name === 'pwws' && ph === 'b')).toHaveLength(3);
  expect(traceEvents.some(({ name, ph }) => name === 'model' && ph === 'X')).toBe(true);
  expect((await robust(args, { cwd: plain })).code).toBe(4);
  expect(results(cwd)).toBe(results(plain));
});

test('a file that cannot be written is refused before anything is run', async () => {
  const cwd = folder();
  const { code, stderr } = await robust(['attack', '--runtime', 'profile=no/such/folder/trace.json'], { cwd });
  expect([code, readdirSync(cwd)]).toEqual([3, []]);
  expect(stderr).toContain('no/such/folder/trace.json');
});

test.each([
  [1, undefined, '12 texts computed in 4 batches of 3.0; its worker was busy 50 % of 8.0 s'],
  [2, 3.25, '12 texts computed in 4 batches of 3.0, 3.3 s of processor time; its 2 workers were busy 25 % of 8.0 s'],
])('model time of %i workers', (workers, secondsProcessor, line) => {
  const figures = { computed: 12, batches: 4, meanBatch: 3, paddingWaste: 0, truncated: 0 };
  expect(modelTime({ ...figures, secondsBusy: 4, secondsProcessor, workers }, 8)).toBe(line);
});
