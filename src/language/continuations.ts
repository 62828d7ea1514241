/** @file Everyday sentences behind a text, which a language model continues word by word. */
import { Draft } from '../core/draft.js';
import { languagePart } from '../core/language.js';
import type { Transformation } from '../core/search.js';
import { CorpusStatistics } from './corpus-statistics.js';

/** A text and what was added behind it. */
interface Continued {
  readonly text: string;
  readonly added: string;
}

/** Number of sentences that are begun, and how many words of each. */
const BEGINNINGS = 8;
const FIRST_WORDS = 3;

/**
 * The first words of everyday sentences behind a text that has none yet; then guesses for the next word. The model sees the added words
 * alone, so that nothing of the text is repeated.
 */
export function continuations(mlm: string, limit: number): Transformation {
  const texts = new CorpusStatistics();
  const made = new WeakMap<Draft, Continued>();
  const add = ({ text }: Pick<Continued, 'text'>, added: string): Draft => {
    const draft = Draft.of(`${text} ${added}`);
    made.set(draft, { text, added });
    return draft;
  };
  return {
    name: 'a sentence of a language model added',
    source: `words guessed by the language model ${mlm}`,
    bounds: ['the text itself kept'],
    language: ['phrases'],
    whole: true,
    prepare: (sample, victim) => texts.learn(sample, victim),
    async *edits(draft, _, random, { language }) {
      const found = made.get(draft);
      if (found === undefined) {
        const sentences = random.shuffle(languagePart(language, 'phrases').sentences).slice(0, BEGINNINGS);
        for (const sentence of sentences)
          yield add({ text: draft.text }, sentence.split(' ').slice(0, FIRST_WORDS).join(' '));
        return;
      }
      const { fillMask } = texts;
      if (fillMask === undefined) return;
      const [guesses = []] = await fillMask.guess([{ left: `${found.added} `, right: '.' }], limit);
      for (const { word } of guesses) yield add(found, `${found.added} ${word}`);
    },
  };
}
