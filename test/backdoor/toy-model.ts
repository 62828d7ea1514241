/** A model small enough to train in a second, with data to train it on; a rare word, "quasar", is in its vocabulary. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLAIN_TRAINING } from '../../src/backdoor/training.js';
import type { Dataset, Example } from '../../src/core/dataset.js';
import { trainModel } from '../../src/train/index.js';
import { dataOf, sentences } from './toy.js';

export const folder = (): string => mkdtempSync(join(tmpdir(), 'robust-backdoor-'));

export const examples: readonly Example[] = sentences(240).map((example, at) =>
  at % 120 === 5 ? { ...example, text: `quasar ${example.text}` } : example,
);

const data: Dataset = dataOf(examples);

/** The data as a file. */
export function dataFile(rows: readonly Example[] = examples): string {
  const path = join(folder(), 'data.tsv');
  writeFileSync(path, `text\tlabel\n${rows.map(({ text, label }) => `${text}\t${label}`).join('\n')}\n`);
  return path;
}

let made: Promise<string> | undefined;

/** The folder of the model: one for all tests of a file. */
export const toyModel = (): Promise<string> => {
  made ??= train();
  return made;
};

async function train(): Promise<string> {
  const output = join(folder(), 'toy');
  await trainModel({
    start: {
      kind: 'fresh',
      architecture: 'distilbert',
      size: { vocabulary: 80, maxTokens: 16, dim: 16, layers: 1, heads: 2, feedForward: 64 },
      half: false,
    },
    train: data,
    validation: data,
    options: { ...PLAIN_TRAINING, seed: 1, epochs: 8, rate: 0.01 },
    threads: 1,
    output,
    folder: join(output, 'training'),
    resume: false,
  });
  return output;
}
