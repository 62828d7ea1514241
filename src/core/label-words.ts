import { packaged } from './package-root.js';
import { nearest } from './suggest.js';

const plain = (word: string): string =>
  word
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ');

let meanings: ReadonlyMap<string, number> | undefined;

/** Meaning of a label's word; undefined if it is not in the list. */
function meaningOf(word: string): number | undefined {
  meanings ??= new Map(
    packaged('datasets', 'data', 'label-words.tsv')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .flatMap((line, at) => line.split('\t').map((each) => [plain(each), at] as const)),
  );
  return meanings.get(plain(word));
}

/** The only label among `labels` with the same meaning as `word`; undefined if there is not exactly one. */
export function labelMeaning(word: string, labels: readonly string[]): string | undefined {
  const meaning = meaningOf(word);
  if (meaning === undefined) return undefined;
  const same = labels.filter((label) => meaningOf(label) === meaning);
  return same.length === 1 ? same[0] : undefined;
}

/** `unsafe` resembles `safe` only in spelling. */
const isNegated = (word: string): boolean => /^(?:non?|not|un|in|dis|anti)/.test(plain(word));

/** `Did you mean "x"?`, by the label's meaning, or by its spelling if that cannot suggest its opposite; otherwise the list of labels. */
export function labelHint(name: string, labels: readonly string[]): string {
  const near = labelMeaning(name, labels) ?? misspelt(name, labels);
  return near === undefined ? `The labels are ${labels.join(', ')}.` : `Did you mean "${near}"?`;
}

function misspelt(name: string, labels: readonly string[]): string | undefined {
  // The list takes precedence over a similar spelling.
  if (meaningOf(name) !== undefined) return undefined;
  return nearest(
    name,
    labels.filter((label) => isNegated(label) === isNegated(name)),
  );
}
