/**
 * @file Measures the cost of explanations relative to the model itself, and the convergence of estimated SHAP values to the exact ones.
 *
 *     npm run bench dist/bench/explain.js [model ...]
 *
 * Cost: LIME with 5,000 samples on a sentence of 20 words, against the same distinct texts in one call of the model, in the same process by
 * turns. The same with 1,000 samples. Error: root mean square over words and seeds, for budgets that double.
 */
import { wordsOf } from '../src/core/draft.js';
import { random } from '../src/core/random.js';
import { type Coalition, type CoalitionGame, WordGame } from '../src/explain/game.js';
import { LIME, lime } from '../src/explain/lime.js';
import { maskedText } from '../src/explain/masked-text.js';
import { exactShapley, permutationShapley } from '../src/explain/shapley.js';
import { loadModel } from '../src/model/load.js';

const LONG = 'a slow and often clumsy film that still finds one or two moments of warmth in its final half hour';
const SHORT = 'There is nothing I do not like about this movie.';
const ROUNDS = 7;
const SEEDS = 40;

const print = (line: string) => process.stdout.write(`${line}\n`);
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

/** Wall seconds, and the seconds all threads of this process computed: the latter say something on a busy machine too. */
async function timed(work: () => Promise<unknown>): Promise<{ seconds: number; cpu: number }> {
  const begun = performance.now();
  const used = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(used);
  return { seconds: (performance.now() - begun) / 1000, cpu: (user + system) / 1e6 };
}

for (const spec of process.argv.length > 2 ? process.argv.slice(2) : ['distilbert', 'bert-mini']) {
  const model = await loadModel(spec, { cacheEntries: 0 });
  for (const baseline of ['delete', 'unknown'] as const) {
    const masked = maskedText(LONG, { name: baseline, token: '[UNK]' });
    const size = masked.words.length;
    const whole: number[] = [];
    const raw: number[] = [];
    const cpu: number[] = [];
    const cpuRatios: number[] = [];
    const ratios: number[] = [];
    let texts = 0;
    await model.classify([LONG]);
    for (let round = 0; round < ROUNDS; round++) {
      const game = new WordGame(model, masked, { label: 1, scale: 'probability' });
      // The texts it will ask, collected beforehand.
      const asked = new Set<string>();
      const collecting: CoalitionGame = {
        size,
        values: async (coalitions: readonly Coalition[]) => {
          for (const kept of coalitions) asked.add(masked.keep(kept));
          return new Float64Array(coalitions.length);
        },
      };
      await lime(collecting, LIME, random(round, 'bench'));
      const list = [...asked];
      texts = list.length;
      const before = await timed(() => model.classify(list));
      const own = await timed(() => lime(game, LIME, random(round, 'bench')));
      const after = await timed(() => model.classify(list));
      whole.push(own.seconds);
      cpu.push(own.cpu);
      raw.push((before.seconds + after.seconds) / 2);
      ratios.push((before.seconds + after.seconds) / 2 / own.seconds);
      cpuRatios.push((before.cpu + after.cpu) / 2 / own.cpu);
    }
    print(
      `${spec}, ${baseline}: LIME, 5,000 samples (${texts} distinct texts) of ${size} words: ${median(whole).toFixed(2)} s at ${(100 * median(ratios)).toFixed(0)} % ` +
        `of the model's own throughput (${(texts / median(raw)).toFixed(0)} texts/s); ${median(cpu).toFixed(2)} s of processor time, ${(100 * median(cpuRatios)).toFixed(0)} % of it the model's`,
    );
  }
  const masked = maskedText(SHORT, { name: 'delete', token: '' });
  const sentence: { seconds: number; cpu: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const game = new WordGame(model, masked, { label: 0, scale: 'probability' });
    sentence.push(await timed(() => lime(game, { ...LIME, samples: 1000 }, random(round, 'bench'))));
  }
  print(
    `${spec}: a sentence of ${masked.words.length} words, 1,000 samples: ${median(sentence.map((one) => one.seconds)).toFixed(2)} s, ${median(sentence.map((one) => one.cpu)).toFixed(2)} s of processor time`,
  );

  // All coalitions of twelve words once; then estimates cost nothing.
  const twelve = wordsOf(LONG).slice(0, 12);
  const text = LONG.slice(0, twelve.at(-1)!.start + twelve.at(-1)!.text.length);
  const known = new WordGame(model, maskedText(text, { name: 'delete', token: '' }), { label: 1, scale: 'logit' });
  const { weights: exact } = await exactShapley(known);
  const points: { samples: number; error: number; told: number }[] = [];
  for (let budget = 250; budget <= 4000; budget *= 2) {
    let [squares, told, asked] = [0, 0, 0];
    for (let seed = 0; seed < SEEDS; seed++) {
      const { weights, check } = await permutationShapley(known, budget, random(seed, 'error'));
      asked = Number(check.samples);
      weights.forEach(({ weight, high }, at) => {
        squares += (weight - exact[at]!.weight) ** 2;
        told += ((high! - weight) / 1.96) ** 2;
      });
    }
    const count = SEEDS * exact.length;
    points.push({ samples: asked, error: Math.sqrt(squares / count), told: Math.sqrt(told / count) });
  }
  const mean = (of: (point: (typeof points)[number]) => number) =>
    points.reduce((s, p) => s + of(p), 0) / points.length;
  const [x, y] = [mean((p) => Math.log(p.samples)), mean((p) => Math.log(p.error))];
  const slope =
    points.reduce((s, p) => s + (Math.log(p.samples) - x) * (Math.log(p.error) - y), 0) /
    points.reduce((s, p) => s + (Math.log(p.samples) - x) ** 2, 0);
  print(
    `${spec}: permutation SHAP, 12 words: error ${points.map(({ samples, error, told }) => `${error.toFixed(4)} (estimated ${told.toFixed(4)}) at ${samples}`).join(', ')}; it falls as n^${slope.toFixed(2)}`,
  );
  await model.close();
}
