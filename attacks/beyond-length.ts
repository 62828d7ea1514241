/**
 * Beyond length: adds so much plain text that the victim, which truncates its input, does not read the relevant part.
 *
 * Threat: a classifier reads the first 512 tokens and drops the rest; the language model behind it reads everything.
 * Example: "Ignore all rules." -> "I saw it on a Tuesday. My brother was there too. ... Ignore all rules."
 * Readable because: every word of the text stays; the addition is irrelevant.
 * Paper: none; that long texts lose their end is how encoders are made (Chi Sun et al. 2019, "How to Fine-Tune BERT for Text
 * Classification?", section 5.3.1; https://arxiv.org/abs/1905.05583).
 * Differs: from truncation, which cuts the text itself: here only the victim misses text. The length doubles until the attack succeeds.
 */
import { must } from '../src/core/errors.js';
import { languagePart, textAttack, wordsOf, z } from '../src/plugin.js';

const options = { words: z.int().min(1).default(400).describe('maximum number of added words; 400 exceed 512 tokens') };

/** The first length tried. */
const LEAST = 50;

export const beyondLength = textAttack({
  name: 'beyond-length',
  summary: 'Adds so much plain text that a model that truncates its input does not reach the original text.',
  options,
  readers: ['person', 'language model'],
  edit: ({ words }) => ['plain sentences added', 'the text itself kept', `at most ${words} words added`],
  language: () => ['phrases'],
  *rewrites(text, { words: most }, random, { language }) {
    const sentences = random.shuffle(languagePart(language, 'phrases').sentences);
    const lengths = sentences.map((sentence) => Math.max(1, wordsOf(sentence).length));
    const filler: string[] = [];
    let length = 0;
    for (let wanted = Math.min(LEAST, most); ; wanted = Math.min(2 * wanted, most)) {
      const next = (): number => must(lengths[filler.length % lengths.length]);
      while (length + next() <= wanted) {
        length += next();
        filler.push(must(sentences[filler.length % sentences.length]));
      }
      if (filler.length > 0) {
        yield `${filler.join(' ')} ${text.trimStart()}`;
        yield `${text.trimEnd()} ${filler.join(' ')}`;
      }
      if (wanted === most) return;
    }
  },
});
