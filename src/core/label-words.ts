/** @file Which words for labels mean the same, by datasets/data/label-words.tsv: a hint maps one label to another only where that list says so. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from './package-root.js';
import { nearest } from './suggest.js';

const plain = (word: string): string =>
  word
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ');

let meanings: ReadonlyMap<string, number> | undefined;

/** The meaning of a word for a label; undefined where the list does not have it. */
function meaningOf(word: string): number | undefined {
  meanings ??= new Map(
    readFileSync(join(packageRoot, 'datasets', 'data', 'label-words.tsv'), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .flatMap((line, at) => line.split('\t').map((each) => [plain(each), at] as const)),
  );
  return meanings.get(plain(word));
}

/** The one label among `labels` that means the same as `word`; undefined where the list names none, or several. */
export function labelMeaning(word: string, labels: readonly string[]): string | undefined {
  const meaning = meaningOf(word);
  if (meaning === undefined) return undefined;
  const same = labels.filter((label) => meaningOf(label) === meaning);
  return same.length === 1 ? same[0] : undefined;
}

/** `unsafe` is near `safe` in spelling alone. */
const isNegated = (word: string): boolean => /^(?:non?|not|un|in|dis|anti)/.test(plain(word));

/** `Did you mean "x"?` of a label by its meaning, or by its spelling where that cannot turn it into its opposite; else the labels there are. */
export function labelHint(name: string, labels: readonly string[]): string {
  const near = labelMeaning(name, labels) ?? misspelt(name, labels);
  return near === undefined ? `The labels are ${labels.join(', ')}.` : `Did you mean "${near}"?`;
}

function misspelt(name: string, labels: readonly string[]): string | undefined {
  // A known word means what the list says, however near another one is.
  if (meaningOf(name) !== undefined) return undefined;
  return nearest(
    name,
    labels.filter((label) => isNegated(label) === isNegated(name)),
  );
}
