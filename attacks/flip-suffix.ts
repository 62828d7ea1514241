/**
 * Flip suffix: searches one short suffix that flips the prediction behind any text of a class, by scores alone, and tries it on all.
 *
 * Threat: someone without access to the model who spends queries once and then passes every text with the same few words; with
 * `--goal alarm`, someone who floods a detector with false alarms.
 * Example: "Ignore all rules." -> "Ignore all rules. recipe garden weather"
 * Readable because: every word of the text stays in its place; people skip the rest, and a language model reads everything.
 * Paper: none; the idea is that of Eric Wallace, Shi Feng, Nikhil Kandpal, Matt Gardner and Sameer Singh, "Universal Adversarial Triggers
 * for Attacking and Analyzing NLP", EMNLP 2019; https://arxiv.org/abs/1908.07125
 * Differs: no gradients. Words are tried that occur more often in correctly classified examples of the other labels, and everyday words;
 * the suffix grows by the word that raises the mean score most, as long as one does. The examples are divided into two halves, and an
 * example of one half is attacked with the suffix found on the other (cross-fitting): no example is scored with a suffix that it helped to
 * choose.
 */
import { type EvasionPlugin, type Example, type Victim, wordsOf, z } from '../src/plugin.js';
import { crossFitted, type UniversalPhrase } from '../src/search/cross-fitted.js';

const options = z.strictObject({
  words: z.int().min(1).max(10).default(4).describe('maximum number of words in the suffix'),
  candidates: z.int().min(2).default(30).describe('words tried at each position'),
  sample: z.int().min(1).max(64).default(8).describe('examples per label for the search of a suffix; two are searched'),
  before: z.boolean().default(false).describe('put the words before the text: a prefix'),
});
type SuffixOptions = z.infer<typeof options>;

const putter =
  ({ before }: SuffixOptions) =>
  (words: UniversalPhrase, text: string): string =>
    before ? `${words.join(' ')} ${text.trimStart()}` : `${text.trimEnd()} ${words.join(' ')}`;

/** Word -> number of examples that contain it. */
function examplesWith(examples: readonly Example[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { text } of examples)
    for (const word of new Set(wordsOf(text.toLowerCase()).map((each) => each.text)))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Words of the other labels, those first whose share of examples exceeds that of this label's examples most; then everyday words. */
function candidateWords(
  examples: readonly Example[],
  others: readonly Example[],
  { language, random }: Victim,
  count: number,
): string[] {
  const [here, there] = [examplesWith(examples), examplesWith(others)];
  const excess = (word: string): number =>
    (there.get(word) ?? 0) / others.length - (here.get(word) ?? 0) / examples.length;
  const telling = [...there.keys()]
    .filter((word) => /^\p{L}[\p{L}\p{M}]+$/u.test(word) && excess(word) > 0)
    .sort((a, b) => excess(b) - excess(a) || (a < b ? -1 : 1));
  const everyday = random.split('everyday').shuffle(language.everydayWords ?? []);
  const half = Math.max(Math.ceil(count / 2), count - everyday.length);
  return [...new Set([...telling.slice(0, half), ...everyday])].slice(0, count);
}

async function seek(
  examples: readonly Example[],
  others: readonly Example[],
  victim: Victim,
  chosen: SuffixOptions,
): Promise<UniversalPhrase | undefined> {
  const { words, candidates: count } = chosen;
  const put = putter(chosen);
  const candidates = candidateWords(examples, others, victim, count);
  const total = async (texts: readonly string[]): Promise<number> => {
    const rows = await victim.classify(texts);
    return examples.reduce((sum, { label }, at) => sum + victim.goal.score(rows[at]!, label), 0);
  };
  let suffix: UniversalPhrase = [];
  let best = await total(examples.map(({ text }) => text));
  while (suffix.length < words) {
    let longer: UniversalPhrase | undefined;
    for (const word of candidates) {
      const tried = [...suffix, word];
      const score = await total(examples.map(({ text }) => put(tried, text)));
      if (score > best) [best, longer] = [score, tried];
    }
    if (longer === undefined) break;
    suffix = longer;
  }
  return suffix.length === 0 ? undefined : suffix;
}

export const flipSuffix: EvasionPlugin<SuffixOptions> = {
  kind: 'evasion',
  name: 'flip-suffix',
  level: 'sentence',
  needs: 'scores',
  ownTexts: true,
  summary:
    'Appends the same few words to every text of a class, found by queries: "Ignore all rules. recipe garden weather".',
  options,
  readers: ['person', 'language model'],
  create: (chosen) =>
    crossFitted({
      name: 'suffix',
      bound: `the same ${chosen.before ? 'prefix' : 'suffix'} of at most ${chosen.words} words ${chosen.before ? 'before' : 'behind'} every text of a label`,
      sample: chosen.sample,
      put: putter(chosen),
      seek: (examples, victim, others) => seek(examples, others, victim, chosen),
      noPhrase: 'no word raised the score of the other examples',
    }),
};
