/** The workload of an attack: sentences of SST-2 dev with one word changed in each, queried by many searches at once, some texts a step. */
import { openDataset } from '../datasets/index.js';
import type { Classifier } from '../src/core/classifier.js';
import { random } from '../src/core/random.js';

const SEARCHES = 64;
/** Texts that a search asks at once. */
const STEP = 12;

/** Distinct rewrites of real sentences, one word changed in each. */
export async function rewrites(count: number): Promise<string[]> {
  const dev = await openDataset('../shared/data/sst2/dev.tsv', { labels: ['NEGATIVE', 'POSITIVE'] });
  const stream = random(1, 'inference');
  const sentences: string[] = [];
  for await (const { text } of dev.examples()) sentences.push(text);
  const texts = new Set<string>();
  for (let at = 0; texts.size < count; at++) {
    const words = sentences[at % sentences.length]!.split(' ');
    const which = stream.int(words.length);
    const word = words[which]!;
    const cut = stream.int(word.length + 1);
    words[which] = word.slice(0, cut) + String.fromCharCode(97 + stream.int(26)) + word.slice(cut);
    texts.add(words.join(' '));
  }
  return [...texts];
}

/** The searches take turns at the texts. */
export async function searching(model: Pick<Classifier, 'classify'>, texts: readonly string[]): Promise<void> {
  let next = 0;
  const search = async () => {
    while (next < texts.length) {
      const mine = texts.slice(next, next + STEP);
      next += STEP;
      await model.classify(mine);
    }
  };
  await Promise.all(Array.from({ length: SEARCHES }, search));
}
