/**
 * HotFlip: replaces the words whose replacement raises the loss most by the gradient, a few in the text, with a beam search.
 *
 * Threat: someone with access to the weights who wants a text that fools the model and is still readable.
 * Example: "a charming and often affecting journey" -> "a bland and often affecting journey", with `pos` and `similarity` closer ones
 * Readable because: at most two words change, each into a word of the same part of speech; with `similarity` near in meaning.
 * Paper: Javid Ebrahimi, Anyi Rao, Daniel Lowd and Dejing Dou, "HotFlip: White-Box Adversarial Examples for Text Classification", ACL 2018,
 * sections 3 and 5; https://arxiv.org/abs/1712.06751
 * Differs: works on any model with token embeddings, including transformers. A word may have several sub-words: their gradients are summed,
 * and the replacement is one whole entry of the vocabulary. The paper bounds the cosine of word vectors by 0.8; here `similarity` bounds
 * the similarity in WordNet, because the vectors of a victim trained on little data do not separate synonyms from opposites. Opposites are
 * never offered; `similarity=0` removes the bound, as in the paper's sentiment examples.
 */
import { must } from '../src/core/errors.js';
import type { UniversalTag } from '../src/core/language.js';
import {
  beam,
  Draft,
  firstOrder,
  keepStopWords,
  type Language,
  languagePart,
  matchCase,
  maxWords,
  noRepeat,
  type OptionValues,
  searchAttack,
  type Transformation,
  z,
} from '../src/plugin.js';
import { addSlotGradient } from '../src/search/slot-gradient.js';

const options = {
  candidates: z.int().min(1).default(10).describe('replacements tried per word, the steepest first'),
  samePos: z.boolean().default(true).describe('the new word must have the part of speech of the old one'),
  similarity: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe('minimum similarity in WordNet: 0.9 synonyms, 0.7 near, 0 any'),
};

const bounds = {
  maxWords: z.int().min(1).default(2).describe('words that may be flipped (TextAttack: 2)'),
  beam: z.int().min(1).default(10).describe('drafts kept per round (paper: 10)'),
};

/** Entries examined per wanted candidate: most fail on part of speech or similarity. */
const ENTRIES_PER_CANDIDATE = 30;

const alone = new WeakMap<Language, Map<string, UniversalTag | undefined>>();

/** A word's part of speech out of context. Results for a vocabulary are soon cached, while tagging each rewritten sentence takes 0.3 ms. */
function tagAlone(word: string, language: Language): UniversalTag | undefined {
  const known = alone.get(language) ?? new Map<string, UniversalTag | undefined>();
  alone.set(language, known);
  if (!known.has(word)) known.set(word, languagePart(language, 'partOfSpeech').tags(Draft.of(word))[0]?.universal);
  return known.get(word);
}

/** Replacements in one draft, by one gradient. */
async function* flips(
  draft: Draft,
  at: readonly number[],
  { gradients: model, goal, label, done, language }: Parameters<Transformation['edits']>[3],
  chosen: OptionValues<typeof options>,
) {
  if (model === undefined) throw new RangeError('expected a victim with gradients');
  if (done) return;
  const sign = goal.target === undefined ? 1 : -1;
  const answer = await model.gradient(draft.text, goal.target ?? label);
  const { areOpposed } = languagePart(language, 'antonyms');
  const fits = (word: string, old: string, tag: UniversalTag | undefined): boolean =>
    word.toLowerCase() !== old.toLowerCase() &&
    !areOpposed(word, old) &&
    (chosen.similarity === 0 || languagePart(language, 'synonyms').similarity(word, old) >= chosen.similarity) &&
    (!chosen.samePos || tagAlone(word, language) === tag);
  const tags = chosen.samePos ? languagePart(language, 'partOfSpeech').tags(draft) : [];
  const uphill = at.map((slot) =>
    addSlotGradient(new Float32Array(model.hidden), answer, draft, slot).map((value) => sign * value),
  );
  const steepest = await firstOrder(model, uphill, chosen.candidates * ENTRIES_PER_CANDIDATE);
  for (const [i, slot] of at.entries()) {
    const old = draft.word(slot);
    let tried = 0;
    for (const { id } of must(steepest[i])) {
      if (tried === chosen.candidates) break;
      const word = matchCase(must(model.tokenText(id)).trim(), old);
      if (!fits(word, old, tags[slot]?.universal)) continue;
      tried++;
      yield draft.replace(slot, word);
    }
  }
}

export const hotflip = searchAttack({
  name: 'hotflip',
  level: 'word',
  needs: 'gradients',
  summary: 'Replaces the words whose replacement raises the loss most by the gradient, in any model.',
  paper: {
    title: 'HotFlip: White-Box Adversarial Examples for Text Classification',
    url: 'https://arxiv.org/abs/1712.06751',
  },
  options,
  bounds,
  edits: (chosen) => ({
    name: 'words flipped by gradient',
    needs: 'gradients',
    language: [
      'antonyms',
      ...(chosen.samePos ? (['partOfSpeech'] as const) : []),
      ...(chosen.similarity > 0 ? (['synonyms'] as const) : []),
    ],
    bounds: [
      ...(chosen.samePos ? ['part of speech kept'] : []),
      ...(chosen.similarity > 0 ? [`WordNet similarity of at least ${chosen.similarity}`] : []),
      'no opposites',
    ],
    edits: (draft, at, _, space) => flips(draft, at, space, chosen),
  }),
  constraints: (chosen) => [noRepeat, keepStopWords, maxWords(chosen.maxWords)],
  search: (chosen) => beam(chosen.beam),
});
