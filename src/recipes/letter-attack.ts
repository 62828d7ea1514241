/** @file Attacks that rewrite single words: their letters, or all of the word in other characters. */
import { z } from 'zod';
import { maxFraction, maxWords, noRepeat } from '../constraints/edits.js';
import { keepStopWords, minLength } from '../constraints/words.js';
import type { OptionsShape, OptionValues } from '../core/component.js';
import type { Language } from '../core/language.js';
import type { Random } from '../core/random.js';
import type { Constraint } from '../core/search.js';
import type { EvasionPlugin } from '../results/attack-plugin.js';
import { swapWords } from '../search/swap-words.js';
import { type AttackFacts, searchAttack } from './search-attack.js';

export interface LetterAttack<E extends OptionsShape> extends Omit<AttackFacts, 'level'> {
  readonly options?: E;
  /** The edits, as the reports name them. */
  readonly edit: string;
  /** The words that may stand for a word. */
  rewrites(word: string, chosen: OptionValues<E>, random: Random, language: Language): Iterable<string>;
  /** What may happen to a quarter of the words by default, such as "split"; the option `max-fraction`. */
  readonly quarter?: string;
  /** What five words may do by default, such as "contain a look-alike"; the option `max-words`. */
  readonly fiveWords?: string;
  /** Letters of the shortest word that is edited. */
  readonly letters?: number;
  /** Whether stop words stay as they are. */
  readonly stopWordsKept?: boolean;
}

/** An attack on the most important words, greedy. */
export function letterAttack<E extends OptionsShape = Record<never, never>>({
  edit,
  rewrites,
  quarter,
  fiveWords,
  letters,
  stopWordsKept = false,
  ...about
}: LetterAttack<E>): EvasionPlugin {
  const bounds: OptionsShape = {
    ...(quarter !== undefined && {
      maxFraction: z.number().gt(0).max(1).default(0.25).describe(`largest share of the words that may be ${quarter}`),
    }),
    ...(fiveWords !== undefined && { maxWords: z.int().min(1).default(5).describe(`words that may ${fiveWords}`) }),
  };
  return searchAttack<E, OptionsShape>({
    level: 'character',
    ...about,
    bounds,
    edits: (chosen) => swapWords(edit, (word, random, language) => rewrites(word, chosen, random, language)),
    constraints(chosen): Constraint[] {
      const { maxFraction: share, maxWords: words } = chosen as { maxFraction?: number; maxWords?: number };
      return [
        noRepeat,
        ...(stopWordsKept ? [keepStopWords] : []),
        ...(letters === undefined ? [] : [minLength(letters)]),
        ...(share === undefined ? [] : [maxFraction(share)]),
        ...(words === undefined ? [] : [maxWords(words)]),
      ];
    },
  });
}
