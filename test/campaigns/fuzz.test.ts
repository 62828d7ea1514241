/** Every reader on damaged files: a coded error or a right result. The campaign "fuzz" does the same a hundred thousand times. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RobustError } from '../../src/core/errors.js';
import { random } from '../../src/core/random.js';
import { WHOLE } from '../cover.js';
import { readers } from './fuzz/readers.js';
import { damages, make } from './fuzz/seeds.js';

const root = mkdtempSync(join(tmpdir(), 'robust-fuzz-'));

const corpus = join(import.meta.dirname, '..', 'fuzz-corpus');
const kept = readdirSync(corpus).flatMap((reader) =>
  readdirSync(join(corpus, reader)).map((name) => [reader, name] as const),
);

/** "right result", or the code of the error; anything else is thrown. */
const read = (reader: string, folder: string): Promise<string> =>
  (readers[reader] as (folder: string) => Promise<void>)(folder).then(
    () => 'right result',
    (error: unknown) => {
      if (error instanceof RobustError) return error.code;
      throw error;
    },
  );

test.each(kept)('what %s once choked on: %s', async (reader, name) => {
  expect(await read(reader, join(corpus, reader, name))).toMatch(/^right result$|^[A-Z_]+$/);
});

// Where CI tries all, the finished runs that some damages need are made first. Sessions take longest and are left to the campaign.
const made = join(root, 'seeds');
mkdirSync(made);
if (WHOLE) make(made);
const quick = Object.entries(damages(made)).filter(
  ([kind]) =>
    kind !== 'onnx session' &&
    (WHOLE || !/^(baseline|run\.json|results\.jsonl|shards|report\.json|training checkpoint)$/.test(kind)),
);

test.each(quick)('%s, 40 times', async (kind, damage) => {
  const ends = new Set<string>();
  for (let time = 0; time < 40; time++) {
    const folder = join(root, `${kind} ${time}`);
    mkdirSync(folder);
    damage(folder, random(1, kind, String(time)));
    ends.add(await read(kind, folder));
    rmSync(folder, { recursive: true });
  }
  // The damage shows: not all of them are read as if nothing were wrong.
  expect([...ends].some((end) => end !== 'right result')).toBe(true);
});
