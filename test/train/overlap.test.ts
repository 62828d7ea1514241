/** Texts that are learnt and measured too. */
import { describe, expect, test } from 'vitest';
import { withoutOverlap } from '../../src/app/training/overlap.js';
import type { Dataset, Example } from '../../src/core/dataset.js';
import { refusal } from '../refusal.js';

const dataOf = (name: string, texts: readonly string[]): Dataset => ({
  ...{ name, labels: ['a', 'b'], source: { url: '', license: '', sha256: '' } },
  async *examples() {
    for (const [at, text] of texts.entries()) yield { id: String(at), text, label: at % 2 } as Example;
  },
});
const words = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `text ${from + at}`);
const textsOf = async (data: Dataset) => {
  const texts: string[] = [];
  for await (const { text } of data.examples()) texts.push(text);
  return texts;
};

describe('texts that are learnt and measured too', () => {
  test('a few are left out of what is learnt, whatever their blanks, and counted', async () => {
    const train = dataOf('train.tsv', [...words(0, 5), ' text  20', 'text 20', 'text 21']);
    const { train: kept, left } = await withoutOverlap(train, [
      { data: dataOf('dev.tsv', words(20, 60)), flag: 'validation' },
    ]);
    expect(await textsOf(kept)).toEqual(words(0, 5));
    expect(left).toEqual(['3 training texts left out: dev.tsv has them too']);
  });

  test.each(['validation', 'test'])('more than a tenth of a file that --%s names is refused', async (flag) => {
    const measured = [{ data: dataOf('dev.tsv', words(0, 40)), flag }];
    await expect(withoutOverlap(dataOf('train.tsv', words(36, 80)), measured)).resolves.toMatchObject({
      left: ['4 training texts left out: dev.tsv has them too'],
    });
    await refusal(withoutOverlap(dataOf('train.tsv', words(35, 80)), measured), 'FLAG_INVALID');
  });

  test('a file that is the training data in other case or punctuation is refused; a few such texts are learnt, and named', async () => {
    const shouted = (from: number, to: number) => words(from, to).map((text) => `${text.toUpperCase()} !`);
    const measured = [{ data: dataOf('dev.tsv', words(0, 40)), flag: 'test' }];
    const few = dataOf('train.tsv', [...shouted(36, 40), ...words(40, 80)]);
    const { train, left } = await withoutOverlap(few, measured);
    expect(train).toBe(few);
    expect(left).toEqual(['4 texts of dev.tsv are training texts in other case or punctuation']);
    await refusal(withoutOverlap(dataOf('train.tsv', shouted(0, 40)), measured), 'FLAG_INVALID');
  });

  test('texts that were held out are never refused', async () => {
    const held = dataOf('train.tsv (held out)', words(0, 4));
    const { train } = await withoutOverlap(dataOf('train.tsv', words(0, 8)), [{ data: held }]);
    expect(await textsOf(train)).toEqual(words(4, 8));
  });

  test('data that repeat few texts are learnt as they are, and it is said', async () => {
    const data = dataOf('toy.tsv', [...words(0, 2), ...words(0, 2), ...words(0, 2)]);
    const { train, left } = await withoutOverlap(data, [{ data: dataOf('toy.tsv (held out)', words(0, 2)) }]);
    expect(train).toBe(data);
    expect(left).toEqual([expect.stringMatching(/repeats training texts \(6 of 6\)/)]);
  });

  test('without a shared text the data stay what they are', async () => {
    const train = dataOf('train.tsv', words(0, 8));
    expect((await withoutOverlap(train, [{ data: dataOf('dev.tsv', words(8, 16)), flag: 'test' }])).train).toBe(train);
  });
});

test('too few texts to hold any out are refused by what would help', async () => {
  await refusal(withoutOverlap(dataOf('two.tsv', words(0, 2)), [{ data: dataOf('', []) }]), 'EXAMPLES_TOO_FEW');
});
