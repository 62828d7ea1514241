/** @file A validation set where the user has none: some of the training texts, held out. */
import type { Dataset } from '../core/dataset.js';
import { random } from '../core/random.js';

/** Splits a data set. Which side a text falls on depends on the seed and its id alone, so both sides stream. */
export function holdOut(data: Dataset, share: number, seed: number): { train: Dataset; validation: Dataset } {
  const heldOut = (id: string) => random(seed, 'holdout', id).unit() < share;
  const side = (name: string, wanted: boolean): Dataset => ({
    ...data,
    name,
    async *examples() {
      for await (const example of data.examples()) if (heldOut(example.id) === wanted) yield example;
    },
  });
  return { train: side(data.name, false), validation: side(`${data.name} (held out)`, true) };
}
