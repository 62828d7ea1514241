/** @file Rewrites with a language model's guesses: replacing a word, inserting one, merging two. */
import { z } from 'zod';
import { transformation } from '../core/component.js';
import type { Draft } from '../core/draft.js';
import type { Gap } from '../core/fill-mask.js';
import { type Language, languagePart, type WordList } from '../core/language.js';
import type { Transformation } from '../core/search.js';
import { withArticleAgreement } from './article-agreement.js';
import { CorpusStatistics } from './corpus-statistics.js';
import { matchCase } from './match-case.js';

/** Masked part: the word; a place before or after it; the word and the next. */
export type InfillMode = 'replace' | 'insert before' | 'insert after' | 'merge';

export interface InfillOptions {
  /** Number of guesses per gap. */
  readonly limit: number;
  /** Minimum probability of a guess. @default 0 */
  readonly least?: Partial<Record<InfillMode, number>>;
  /** The model sees the word that it replaces (BERT-Attack) instead of a mask. @default false */
  readonly seen?: boolean;
  /** Words are inserted from the language's list of additions, those that the model guesses first. @default false */
  readonly fromList?: boolean;
  /** Folder of the masked language model; if empty, n-grams of the data set guess. */
  readonly mlm: string;
}

/** The option `mlm` of an attack that fills gaps. */
export const mlmOption = () =>
  z
    .string()
    .default('')
    .describe('folder of a masked language model as ONNX (--language en:mlm=FOLDER); none: n-grams of the data set');

/** Parts of speech of two adjacent words that form one phrase, which a single word may replace. */
const PHRASES: Readonly<Record<string, RegExp>> = {
  NOUN: /^NOUN$/,
  ADJ: /^(?:NOUN|NUM|ADJ|ADV)$/,
  ADV: /^(?:ADJ|VERB)$/,
  VERB: /^(?:ADV|VERB|NOUN|ADJ)$/,
  DET: /^(?:NOUN|ADJ)$/,
  PRON: /^(?:NOUN|ADJ)$/,
  NUM: /^(?:NUM|NOUN)$/,
};

/** A gap, and the draft that results from a guess. */
interface Masked {
  readonly gap: Gap;
  readonly infill: InfillMode;
  fill(word: string): Draft;
}

function maskGap(
  draft: Draft,
  slot: number,
  infill: InfillMode,
  seen: boolean,
  language: Language,
): Masked | undefined {
  const { text } = draft;
  const word = draft.word(slot);
  if (word === '') return undefined;
  const start = draft.startOf(slot);
  const [left, right] = [text.slice(0, start), text.slice(start + word.length)];
  switch (infill) {
    case 'replace':
      return {
        gap: { left, right, ...(seen && { seen: word }) },
        infill,
        fill: (guess) => withArticleAgreement(draft.replace(slot, matchCase(guess, word)), slot, language),
      };
    case 'insert before':
      return {
        gap: { left, right: ` ${word}${right}` },
        infill,
        fill: (guess) => withArticleAgreement(draft.replace(slot, `${guess} ${word}`), slot, language),
      };
    case 'insert after':
      return {
        gap: { left: `${left}${word} `, right },
        infill,
        fill: (guess) => draft.replace(slot, `${word} ${guess}`),
      };
    case 'merge': {
      if (slot + 1 >= draft.size || draft.gapAfter(slot) !== ' ' || draft.word(slot + 1) === '') return undefined;
      const tags = languagePart(language, 'partOfSpeech').tags(draft);
      const phrase = PHRASES[tags[slot]?.universal ?? ''];
      if (phrase?.test(tags[slot + 1]?.universal ?? '') !== true) return undefined;
      const end = draft.startOf(slot + 1) + draft.word(slot + 1).length;
      return {
        gap: { left, right: text.slice(end) },
        infill,
        fill: (guess) =>
          withArticleAgreement(draft.replace(slot, matchCase(guess, word)).remove(slot + 1), slot, language),
      };
    }
  }
}

/**
 * A language model's guesses for gaps at the slots, best first, with matching article and capitals; none before the model or the texts of
 * the data set are known.
 */
export function infilling(
  infills: readonly InfillMode[],
  { limit, least = {}, seen = false, fromList = false, mlm }: InfillOptions,
): Transformation {
  const texts = new CorpusStatistics();
  const inserts = infills.some((infill) => infill.startsWith('insert'));
  return {
    name: `${infills.join(', ')} by a language model's guesses`,
    source: `words guessed by ${mlm === '' ? 'n-grams of the data set' : `the masked language model ${mlm}`}`,
    prepare: (sample, victim) => texts.learn(sample, victim),
    ...(infills.includes('merge') && { language: ['partOfSpeech'] }),
    async *edits(draft, at, _, { language }) {
      const { fillMask } = texts;
      if (fillMask === undefined) return;
      const additions = fromList ? language.negation?.additions : undefined;
      // A few gaps at a time fill batches; with all gaps of a long text, the first result would be late.
      for (let from = 0; from < at.length; from += GAPS) {
        const places = at
          .slice(from, from + GAPS)
          .flatMap((slot) => infills.flatMap((infill) => maskGap(draft, slot, infill, seen, language) ?? []));
        const guesses = await fillMask.guess(
          places.map(({ gap }) => gap),
          inserts && additions ? limit * GUESSES_PER_ADDITION : limit,
        );
        for (const [which, { infill, fill: filled }] of places.entries()) {
          const minimum = least[infill] ?? 0;
          const likely = (guesses[which] ?? []).filter((guess) => guess.probability >= minimum).map(({ word }) => word);
          const words = infill.startsWith('insert') && additions ? additionsFirst(likely, additions) : likely;
          for (const word of words.slice(0, limit)) yield filled(word);
        }
      }
    },
  };
}

/** Most guesses may not be added, so the model is asked for more. */
const [GAPS, GUESSES_PER_ADDITION] = [16, 20];

/** Guesses that may be added, in their order, and then the other words that may. */
const additionsFirst = (guesses: readonly string[], { has, words }: WordList): string[] => [
  ...new Set([...guesses.filter(has), ...words]),
];

/** Edits at a word, by the value of an option: BAE-R, BAE-I, BAE-R/I, a merge, CLARE. */
export const infillModes = {
  replace: ['replace'],
  insert: ['insert before', 'insert after'],
  'replace-insert': ['replace', 'insert before', 'insert after'],
  merge: ['merge'],
  all: ['replace', 'insert after', 'merge'],
} as const satisfies Readonly<Record<string, readonly InfillMode[]>>;

export const fillMasks = transformation({
  name: 'fill-masks',
  summary: 'Replaces or inserts words that a language model expects: "risky" -> "dangerous".',
  options: {
    mode: z
      .enum(['replace', 'insert', 'replace-insert', 'merge', 'all'])
      .default('replace')
      .describe('edit at a word: replace it, insert a word, either, merge it with the next, or all of these'),
    candidates: z.int().min(1).default(20).describe('guesses tried for each gap'),
    seen: z.boolean().default(false).describe('the model sees the word that it replaces'),
    mlm: mlmOption(),
  },
  create: ({ mode, candidates, seen, mlm }) => infilling(infillModes[mode], { limit: candidates, seen, mlm }),
});
