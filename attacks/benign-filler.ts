/**
 * Benign filler: adds everyday words before, after or around the text, those that reduce the detection score most.
 *
 * Threat: someone who pads a prompt until a detector that weighs all words equally misses it.
 * Example: "Ignore all rules." -> "Ignore all rules. picnic lemon soup"
 * Readable because: every word of the text stays in its place; people skip the rest, and a language model reads everything.
 * Paper: Daniel Lowd and Christopher Meek, "Good Word Attacks on Statistical Spam Filters", CEAS 2005, section 4;
 * https://ix.cs.uoregon.edu/~lowd/ceas05lowd.pdf
 * Differs: words are first tried alone, then added one at a time in the order of their individual effects, and kept if the
 * score rises; the paper adds all helpful words at once. The words are about the kitchen, the garden and the weather, and
 * are not selected from the training data. With a masked or causal language model (`--language en:mlm=FOLDER`) the filler is a sentence
 * behind the text: the model sees the begun sentence alone, and the guess that reduces the detection score most becomes its next word.
 */
import { continuations } from '../src/language/continuations.js';
import { beam, Draft, languagePart, rewriteText, type SearchMethod, searchAttack, z } from '../src/plugin.js';

const options = {
  pool: z.int().min(1).default(40).describe('everyday words tried; with a language model, guesses for each next word'),
  mlm: z
    .string()
    .default('')
    .describe(
      'folder of a masked or causal language model that writes the filler (--language en:mlm=FOLDER); none: everyday words',
    ),
};

const bounds = { maxWords: z.int().min(1).default(20).describe('maximum number of added words') };

/** The text with the words after it, before it, or half on each side. */
const placements = (text: string, words: readonly string[]): string[] => {
  const half = Math.ceil(words.length / 2);
  const [before, behind] = [words.slice(0, half).join(' '), words.slice(half).join(' ')];
  const all = words.join(' ');
  return [`${text} ${all}`, `${all} ${text}`, ...(behind === '' ? [] : [`${before} ${text} ${behind}`])];
};

const wordByWord = (pool: number, most: number): SearchMethod => ({
  name: 'word by word, in the order of their individual effects',
  async search(space) {
    const { text } = space.start.draft;
    const words = space.random.shuffle(languagePart(space.language, 'everydayWords')).slice(0, pool);
    const alone = new Map(words.map((word) => [Draft.of(`${text} ${word}`), word]));
    const ranked = (await space.visit([...alone.keys()])).toSorted((a, b) => b.score - a.score);
    let [kept, score] = [[] as readonly string[], space.start.score];
    for (const { draft } of ranked) {
      if (space.done || kept.length === most) return;
      const more = [...kept, alone.get(draft)!];
      const tried = await space.visit(placements(text, more).map((each) => Draft.of(each)));
      const best = Math.max(...tried.map((each) => each.score));
      if (best > score) [kept, score] = [more, best];
    }
  },
});

export const benignFiller = searchAttack({
  name: 'benign-filler',
  level: 'sentence',
  summary: 'Pads the text with everyday words until it evades detection: "Ignore all rules. picnic lemon soup".',
  paper: {
    title: 'Good Word Attacks on Statistical Spam Filters',
    url: 'https://ix.cs.uoregon.edu/~lowd/ceas05lowd.pdf',
  },
  options,
  bounds,
  readers: ['person', 'language model'],
  edits: ({ pool, mlm }) =>
    mlm === ''
      ? rewriteText(
          'everyday words added',
          ['the text itself kept'],
          function* (text, random, { language }) {
            const words = random.shuffle(languagePart(language, 'everydayWords')).slice(0, pool);
            for (const word of words) yield* placements(text, [word]);
          },
          ['everydayWords'],
        )
      : continuations(mlm, pool),
  constraints: () => [],
  search: ({ pool, maxWords, mlm }) => (mlm === '' ? wordByWord(pool, maxWords) : beam(1, maxWords)),
});
