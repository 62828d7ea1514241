/**
 * @file Measures how estimated SHAP values converge to the exact ones: root mean square error over words and seeds, for budgets that double.
 *
 *     npm run bench dist/bench/explain.js [model ...]
 */
import { wordsOf } from '../src/core/draft.js';
import { random } from '../src/core/random.js';
import { WordGame } from '../src/explain/game.js';
import { maskedText } from '../src/explain/masked-text.js';
import { exactShapley, permutationShapley } from '../src/explain/shapley.js';
import { loadModel } from '../src/model/load.js';

const LONG = 'a slow and often clumsy film that still finds one or two moments of warmth in its final half hour';
const SEEDS = 40;

for (const spec of process.argv.length > 2 ? process.argv.slice(2) : ['distilbert', 'bert-mini']) {
  const model = await loadModel(spec, { cacheEntries: 0 });
  // All coalitions of twelve words once; then estimates cost nothing.
  const twelve = wordsOf(LONG).slice(0, 12);
  const text = LONG.slice(0, twelve.at(-1)!.start + twelve.at(-1)!.text.length);
  const known = new WordGame(model, maskedText(text, { name: 'delete', token: '' }), { label: 1, scale: 'logit' });
  const { weights: exact } = await exactShapley(known);
  const points: { samples: number; error: number }[] = [];
  for (let budget = 250; budget <= 4000; budget *= 2) {
    let [squares, asked] = [0, 0];
    for (let seed = 0; seed < SEEDS; seed++) {
      const { weights, check } = await permutationShapley(known, budget, random(seed, 'error'));
      asked = Number(check.samples);
      weights.forEach(({ weight }, at) => {
        squares += (weight - exact[at]!.weight) ** 2;
      });
    }
    points.push({ samples: asked, error: Math.sqrt(squares / (SEEDS * exact.length)) });
  }
  console.log(
    `${spec}: permutation SHAP, 12 words: error ${points.map(({ samples, error }) => `${error.toFixed(4)} at ${samples}`).join(', ')}`,
  );
  await model.close();
}
