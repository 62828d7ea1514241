/** @file Texts that are learnt and measured too: left out of what is learnt, and refused where they are many. */
import { createHash } from 'node:crypto';
import type { Dataset, Example } from '../../core/dataset.js';
import { RobustError } from '../../core/errors.js';
import { percent, quantity } from '../../core/figure-text.js';
import { textsInOrder } from '../../core/pair.js';

/** Texts to measure on, and the flag that names them; none names those that were held out. */
export interface MeasuredTexts {
  readonly data: Dataset;
  readonly flag?: string;
}

/** Above this share of the texts to measure on, a file was named twice rather than a text written twice. */
const MOST_SHARED = 0.1;
/** More of the training texts than this are not left out. */
const MOST_REMOVED = 0.5;

const textOf = (example: Example): string => textsInOrder(example).join('\n');

/** 16 characters of a hash. */
const hashOf = (text: string): string => createHash('sha256').update(text.trim()).digest('base64').slice(0, 16);

/** Of the same letters, whatever the blanks between them. */
const contentOf = (example: Example): string => hashOf(textOf(example).normalize('NFC').replace(/\s+/gu, ' '));

/** Of the same words, whatever their case and punctuation. */
const wordsOf = (example: Example): string =>
  hashOf(
    textOf(example)
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[\p{P}\s]+/gu, ' '),
  );

/**
 * `train` without the texts that it shares with `measured`; `left` says how many, or that the data repeat few texts. Keeps two hashes of each measured text, and reads each data set once.
 * Throws RobustError if a file that a flag names shares more than a tenth of its texts, or nothing
 * was held out.
 */
export async function withoutOverlap(
  train: Dataset,
  measured: readonly MeasuredTexts[],
): Promise<{ readonly train: Dataset; readonly left: readonly string[] }> {
  const sets = await Promise.all(
    measured.map(async ({ data, flag }) => {
      const contents = new Set<string>();
      const words = new Set<string>();
      for await (const example of data.examples()) {
        contents.add(contentOf(example));
        words.add(wordsOf(example));
      }
      return {
        name: data.name,
        flag,
        contents,
        words,
        shared: new Set<string>(),
        near: new Set<string>(),
        removed: 0,
      };
    }),
  );
  const held = sets.find(({ flag, contents }) => flag === undefined && contents.size === 0);
  if (held !== undefined)
    throw new RobustError(`${train.name}: expected enough texts to hold out a tenth of them, got too few`, {
      code: 'EXAMPLES_TOO_FEW',
      hint: 'Name more texts, or those that choose the weights: --validation dev.tsv.',
    });
  let texts = 0;
  for await (const example of train.examples()) {
    texts++;
    const [content, words] = [contentOf(example), wordsOf(example)];
    for (const set of sets) {
      if (set.contents.has(content)) {
        set.shared.add(content);
        set.removed++;
      } else if (set.words.has(words)) set.near.add(words);
    }
  }
  for (const { name, flag, contents, shared, near } of sets) {
    const alike = shared.size + near.size;
    if (flag !== undefined && alike > MOST_SHARED * contents.size)
      throw new RobustError(
        `--${flag} ${name}: expected texts that are not learnt, got ${percent(alike / contents.size)} (${alike} of ${contents.size}) that ${train.name} has too${near.size > 0 ? `, ${near.size} of them in other case or punctuation` : ''}`,
        { code: 'FLAG_INVALID', hint: 'Figures on them would be too high. Name other texts, or --allow-overlap.' },
      );
  }
  // Data that repeat few texts: nothing would be left to learn.
  const repeated = sets.filter(({ removed }) => removed > MOST_REMOVED * texts);
  const found = sets.filter((set) => set.removed > 0 && !repeated.includes(set));
  const told = [
    ...repeated.map(
      ({ name, removed }) =>
        `${name} repeats training texts (${removed} of ${texts}): its figures are of texts that were learnt`,
    ),
    ...sets
      .filter(({ near }) => near.size > 0)
      .map(({ name, near }) => `${near.size} texts of ${name} are training texts in other case or punctuation`),
  ];
  if (found.length === 0) return { train, left: told };
  const shared = new Set(found.flatMap((set) => [...set.shared]));
  return {
    train: {
      ...train,
      async *examples() {
        for await (const example of train.examples()) if (!shared.has(contentOf(example))) yield example;
      },
    },
    left: [
      ...told,
      ...found.map(
        ({ name, removed }) =>
          `${quantity(removed, 'training text')} left out: ${name} has ${removed === 1 ? 'it' : 'them'} too`,
      ),
    ],
  };
}
