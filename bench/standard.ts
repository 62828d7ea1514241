/**
 * @file Measures the saving by the order of the stages of `standard`: the queries of each cascade against those of its stages one by one,
 * on the same examples, and the number of examples that each stage flips alone.
 *
 *     npm run bench dist/bench/standard.js DATA EXAMPLES MODEL ...
 *
 * The examples are the first ones that the model classifies correctly. Seed 42.
 */
import { standardCharacters } from '../attacks/standard-characters.js';
import { standardContext } from '../attacks/standard-context.js';
import { standardLayout } from '../attacks/standard-layout.js';
import { standardWords } from '../attacks/standard-words.js';
import { openDataset } from '../datasets/index.js';
import type { Classifier } from '../src/core/classifier.js';
import type { Example } from '../src/core/dataset.js';
import { predictedLabel } from '../src/core/prediction.js';
import { random } from '../src/core/random.js';
import { english } from '../src/language/english/index.js';
import { loadModel } from '../src/model/load.js';
import type { EvasionAttack } from '../src/plugin.js';
import { cascade } from '../src/search/cascade.js';
import { untargeted } from '../src/search/goals.js';

/** Searches at a time, so that batches fill. */
const SEARCHES = 32;
const SEED = 42;
const print = (line: string) => process.stdout.write(`${line}\n`);

interface Tally {
  readonly flipped: ReadonlySet<string>;
  readonly queries: number;
}

/** Runs an attack on all examples. */
async function tally(attack: EvasionAttack, examples: readonly Example[], model: Classifier): Promise<Tally> {
  const flipped = new Set<string>();
  let queries = 0;
  const shared = { labels: model.labels, goal: untargeted, language: english };
  const classify = (texts: readonly string[]) => model.classify(texts);
  await attack.prepare?.(examples, { ...shared, classify, random: random(SEED, 'prepare'), warn: () => {} });
  const waiting = [...examples];
  const next = async () => {
    for (let example = waiting.shift(); example !== undefined; example = waiting.shift()) {
      const [original] = (await model.classify([example.text])) as [Float32Array];
      const { succeeded } = await attack.run(example, {
        ...shared,
        original,
        constraints: [],
        random: random(SEED, example.id),
        remaining: Number.POSITIVE_INFINITY,
        async classify(texts) {
          queries += texts.length;
          return texts.length === 0 ? [] : model.classify(texts);
        },
      });
      if (succeeded) flipped.add(example.id);
    }
  };
  await Promise.all(Array.from({ length: SEARCHES }, next));
  return { flipped, queries };
}

const [data = 'reviews', count = '100', ...models] = process.argv.slice(2);
for (const spec of models.length > 0 ? models : ['bert-mini']) {
  const model = await loadModel(spec);
  const examples: Example[] = [];
  for await (const example of (await openDataset(data, { labels: model.labels })).examples()) {
    const [row] = await model.classify([example.text]);
    if (row !== undefined && predictedLabel(row) === example.label) examples.push(example);
    if (examples.length === Number(count)) break;
  }
  for (const plugin of [standardCharacters, standardWords, standardLayout, standardContext]) {
    const parts = plugin.parts();
    const whole = await tally(cascade(parts), examples, model);
    let oneByOne = 0;
    for (const stage of parts.stages) {
      if (stage.detectorsOnly) continue;
      const { flipped, queries } = await tally(cascade({ ...parts, stages: [stage] }), examples, model);
      oneByOne += queries;
      const missed = [...flipped].filter((id) => !whole.flipped.has(id)).length;
      print(
        `${spec} ${plugin.name} ${stage.name}: ${flipped.size} of ${examples.length} flipped, ${queries} queries, ` +
          `${((1000 * flipped.size) / queries).toFixed(2)} per 1,000; missed by the cascade ${missed}`,
      );
    }
    print(
      `${spec} ${plugin.name}: ${whole.flipped.size} of ${examples.length} flipped, ${whole.queries} queries, ` +
        `${(whole.queries / oneByOne).toFixed(3)} of the stages one by one`,
    );
  }
  await model.close();
}
