/**
 * @file Attacks on victims whose scores are rounded to labels, against the same attacks with scores: paired successes and queries.
 *
 *     npm run bench dist/bench/labels-only.js -- EXAMPLES MODEL DATA [SUITE ...]
 *
 * MODEL `rules` is a filter of 16 words, whose score grows with the matches. The examples are the first ones that the model classifies
 * correctly, half of them from the end of the data where MODEL is a filter of one label. Seed 42. Default suites: typos, chars, words.
 */
import { attacks as builtIn, suites } from '../attacks/index.js';
import type { Example } from '../src/core/dataset.js';
import { parseOptions, splitSpec } from '../src/core/plugin-options.js';
import { random } from '../src/core/random.js';
import { english } from '../src/language/english/index.js';
import { loadModel } from '../src/model/load.js';
import type { Classifier, EvasionAttack } from '../src/plugin.js';
import { untargeted } from '../src/search/goals.js';
import { rightlyAnswered } from './rightly-answered.js';

/** Searches at a time, so that batches fill. */
const SEARCHES = 16;
const SEED = 42;
/** Draws of examples behind an interval. */
const DRAWS = 2000;
const print = (line: string) => process.stdout.write(`${line}\n`);

const WORDS = /\b(free|win|won|winner|cash|prize|claim|txt|urgent|reply|stop|mobile|call|tone|ringtone|guaranteed)\b/gi;
const rules: Classifier = {
  labels: ['ham', 'spam'],
  classify: async (texts) =>
    texts.map((text) => {
      const spam = 1 / (1 + Math.exp(1.5 - (text.match(WORDS)?.length ?? 0)));
      return Float32Array.of(1 - spam, spam);
    }),
};

/** The victim without its scores. */
const rounded = ({ labels, classify }: Classifier): Classifier => ({
  labels,
  classify: async (texts) =>
    (await classify(texts)).map((row) => {
      const most = Math.max(...row);
      return Float32Array.from(row, (score) => Number(score === most));
    }),
});

interface Trial {
  readonly flipped: boolean;
  readonly queries: number;
}

/** Runs an attack, called `name` among the random streams, on all examples. */
async function trials(
  name: string,
  attack: EvasionAttack,
  victim: Classifier,
  examples: readonly Example[],
  labelsOnly: boolean,
): Promise<Trial[]> {
  const shared = { labels: victim.labels, goal: untargeted, language: english };
  const classify = (texts: readonly string[]) => victim.classify(texts);
  await attack.prepare?.(examples, { ...shared, classify, random: random(SEED, name), warn: () => {} });
  const found: Trial[] = [];
  const waiting = [...examples.entries()];
  const next = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      const [at, example] = one;
      let queries = 1;
      const [original] = (await classify([example.text])) as [Float32Array];
      const { succeeded } = await attack.run(example, {
        ...shared,
        original,
        labelsOnly,
        constraints: [],
        random: random(SEED, name, example.id),
        remaining: Number.POSITIVE_INFINITY,
        async classify(texts) {
          queries += texts.length;
          return texts.length === 0 ? [] : classify(texts);
        },
      });
      found[at] = { flipped: succeeded, queries };
    }
  };
  await Promise.all(Array.from({ length: SEARCHES }, next));
  return found;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** A ratio of sums with its 95 % interval, by drawing examples. */
function ratio(above: readonly number[], below: readonly number[]): string {
  const draw = random(SEED, 'bootstrap');
  const of = (at: readonly number[]) =>
    sum(at.map((each) => above[each] ?? 0)) / sum(at.map((each) => below[each] ?? 0));
  const all = [...above.keys()];
  const drawn = Array.from({ length: DRAWS }, () => of(all.map(() => draw.int(all.length))))
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  const at = (share: number) => (drawn[Math.floor(share * (drawn.length - 1))] ?? Number.NaN).toFixed(2);
  return `${of(all).toFixed(2)} (${at(0.025)}-${at(0.975)})`;
}

const flips = (tried: readonly Trial[]): number[] => tried.map(({ flipped }) => Number(flipped));
const queriesOf = (tried: readonly Trial[]): number[] => tried.map(({ queries }) => queries);

const [count = '60', name = 'distilbert', data = 'sst2', ...named] = process.argv.slice(2);
const victim = name === 'rules' ? rules : await loadModel(name);
const right = await rightlyAnswered(victim, data, name === 'rules' ? 0 : 4 * Number(count));
const flagged = right.filter(({ example }) => name !== 'rules' || example.label === 1);
const examples = flagged.slice(0, Number(count)).map(({ example }) => example);
print(`${name} on ${data}: ${examples.length} examples, seed ${SEED}`);
print('attack | flipped with scores | by labels | ratio | queries with scores | by labels | ratio');
const total: { scored: Trial[]; byLabels: Trial[] } = { scored: [], byLabels: [] };
const specs = (named.length > 0 ? named : ['typos', 'chars', 'words']).flatMap(
  (each) => suites.find((suite) => suite.name === each)?.attacks ?? [each],
);
for (const spec of specs) {
  const { name: of, given } = splitSpec(spec);
  const plugin = builtIn.find((each) => each.name === of);
  if (plugin === undefined) throw new RangeError(`expected an attack, got ${spec}`);
  const make = () => plugin.create(parseOptions(plugin, given));
  const scored = await trials(spec, make(), victim, examples, false);
  const byLabels = await trials(spec, make(), rounded(victim), examples, true);
  total.scored.push(...scored);
  total.byLabels.push(...byLabels);
  row(spec, scored, byLabels);
}
row('all', total.scored, total.byLabels);
process.exit();

function row(title: string, scored: readonly Trial[], byLabels: readonly Trial[]): void {
  const [a, b] = [flips(scored), flips(byLabels)];
  const [p, q] = [queriesOf(scored), queriesOf(byLabels)];
  const mean = (values: readonly number[]) => (sum(values) / values.length).toFixed(1);
  print([title, sum(a), sum(b), ratio(b, a), mean(p), mean(q), ratio(q, p)].join(' | '));
}
