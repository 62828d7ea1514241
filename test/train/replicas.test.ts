/** Threads that learn side by side: the same bytes whatever their number, with every kind of gradient and after an interruption. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { distilbert } from '../../src/train/architectures/encoder.js';
import { PART_TEXTS, parts } from '../../src/train/batches.js';
import type { TrainingOptions } from '../../src/train/options.js';
import { folder, toyTrainable, toyTraining, VOCABULARY } from './toy.js';

const DROPPED = () => toyTrainable(undefined, 0.1);

const cases: readonly [string, Partial<TrainingOptions>][] = [
  ['two parts a step', { batchSize: 32, epochs: 2, tokenDropout: 0.1 }],
  ['parts that do not divide by the threads', { batchSize: 72, epochs: 4 }],
];

test('a batch is cut by its size alone, evenly, and nothing is lost', () => {
  for (const size of [1, 15, 16, 17, 32, 33, 100]) {
    const batch = Uint32Array.from({ length: size }, (_, at) => at);
    const cut = parts(batch);
    expect(cut.flatMap((part) => [...part])).toEqual([...batch]);
    const sizes = cut.map(({ length }) => length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(PART_TEXTS);
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
  }
});

describe.each(cases)('%s', (_, options) => {
  test('one, two and three threads end in the same bytes', async () => {
    const alone = await toyTraining(options, { trainable: DROPPED(), threads: 1 });
    const start = new Map(DROPPED().parameters.map(({ name, values }) => [name, values]));
    expect(alone.final).not.toEqual(start);
    for (const threads of [2, 3]) {
      const together = await toyTraining(options, { trainable: DROPPED(), threads });
      expect(together.final).toEqual(alone.final);
      expect(together.kept).toEqual(alone.kept);
      expect(together.history).toEqual(alone.history);
    }
  });
});

test('interrupted with two threads and resumed with one, and the other way round, it ends in the same bytes', async () => {
  const options = { batchSize: 32, epochs: 4, checkpointEvery: 1 };
  const whole = await toyTraining(options, { threads: 1 });
  for (const [first, second] of [
    [1, 2],
    [2, 1],
  ]) {
    const checkpoint = join(folder(), 'checkpoint.bin');
    const stop = new AbortController();
    const interrupted = await toyTraining(options, {
      checkpoint,
      threads: first,
      signal: stop.signal,
      onProgress: ({ step }) => {
        if (step === 3) stop.abort();
      },
    });
    expect(interrupted.history.end).toBe('interrupted');
    expect(readFileSync(checkpoint).length).toBeGreaterThan(0);
    const resumed = await toyTraining(options, { checkpoint, resume: true, threads: second });
    expect(resumed.final).toEqual(whole.final);
  }
});

test('a loss of NaN stops all threads at that step', async () => {
  const wide = distilbert({
    layers: 1,
    dim: 16,
    heads: 2,
    feedForward: 32,
    vocabulary: VOCABULARY.length,
    maxTokens: 16,
  });
  const trainable = toyTrainable(wide);
  trainable.parameters.find(({ name }) => name === 'classifier.bias')?.values.fill(Number.NaN);
  const { history } = await toyTraining({ batchSize: 32 }, { trainable, threads: 2 });
  expect(history.end).toBe('diverged');
});
