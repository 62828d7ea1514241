/** @file Contract of every victim in code. */
import assert from 'node:assert/strict';
import type { Classifier } from '../core/classifier.js';
import type { VictimPlugin } from '../core/victim-plugin.js';
import { introduction, keep, optionsOf, type Promised } from './promises.js';
import { ODD, SENTENCES } from './texts.js';

/** Largest difference of two answers to one text: those of large models depend on the rest of the batch. */
const SAME = 1e-4;

/** Throws an Error that lists the promises that `victim` violates. `options`: differences from its defaults. */
export async function checkVictim(victim: Classifier | VictimPlugin, options: object = {}): Promise<void> {
  const made = 'create' in victim ? await victim.create(optionsOf(victim, options)) : victim;
  const near = (a: ArrayLike<number>, b: ArrayLike<number>): boolean =>
    a.length === b.length && Array.from(a).every((value, at) => Math.abs(value - b[at]!) <= SAME);
  await keep('name' in victim ? victim.name : 'the victim', [
    ...introduction('victim', victim),
    [
      'it has two labels or more, each once',
      () => {
        assert(made.labels.length > 1, `expected two labels or more, got ${made.labels.length}`);
        assert.equal(new Set(made.labels).size, made.labels.length, 'a label occurs twice');
      },
    ],
    [
      'it returns one row per text, with one probability per label',
      async () => {
        assert.equal((await made.classify([])).length, 0, 'no texts have no answers');
        const rows = await made.classify(SENTENCES);
        assert.equal(rows.length, SENTENCES.length);
        for (const row of rows) {
          assert.equal(row.length, made.labels.length);
          assert(
            row.every((p) => p >= 0 && p <= 1),
            `expected probabilities, got ${Array.from(row).join(', ')}`,
          );
        }
      },
    ],
    [
      'a text gets the same answer alone and among others',
      async () => {
        const rows = await made.classify(SENTENCES);
        for (const [at, text] of SENTENCES.entries()) {
          const [alone] = (await made.classify([text])) as [Float32Array];
          assert(near(alone, rows[at]!), `"${text}": ${Array.from(alone).join(', ')} alone`);
        }
      },
    ],
    ...ODD.map(
      ([what, text]): Promised => [
        `it survives ${what}`,
        async () => {
          const [row] = (await made.classify([text])) as [Float32Array];
          assert.equal(row.length, made.labels.length);
          assert(
            row.every((p) => p >= 0 && p <= 1),
            `expected probabilities, got ${Array.from(row).join(', ')}`,
          );
        },
      ],
    ),
  ]);
}
