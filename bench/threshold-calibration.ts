/**
 * Measures the coverage of the interval of a threshold for a false positive rate. Texts are drawn, and a threshold and an interval are
 * computed from them. The rate on fresh texts of the same kind, and the true rate of the distribution, are compared with the interval. At
 * least 93 of 100 draws should lie within.
 *
 *   npm run bench -- dist/bench/threshold-calibration.js [draws] [seed]
 *
 * Scores are those of a detector that is mostly sure: 1 / (1 + e^-(4 z - 6)) of a normal z, in single precision. The code is that of the flag.
 * There are 100,000 fresh texts: fewer would add their own sampling error.
 */
import { settledDecision } from '../src/app/victim/decide.js';
import { decisionChoice } from '../src/app/victim/decision-choice.js';
import type { ThresholdRule } from '../src/core/decision.js';
import { random } from '../src/core/random.js';

const [draws, seed] = [Number(process.argv[2] ?? 1000), Number(process.argv[3] ?? 42)];
const FRESH = 100_000;
const labels = ['safe', 'attack'];
const classifier = {
  labels,
  classify: async (texts: readonly string[]) => texts.map((text) => Float32Array.of(1 - Number(text), Number(text))),
};

for (const [n, rate] of [
  [100, 0.01],
  [150, 0.02],
  [500, 0.01],
  [1000, 0.05],
] as const) {
  let within = 0;
  let sum = 0;
  for (let draw = 0; draw < draws; draw++) {
    const stream = random(seed, 'calibration', String(n), String(draw));
    const score = (): number => Math.fround(1 / (1 + Math.exp(-(4 * stream.normal() - 6))));
    const scores = Array.from({ length: n }, score);
    const dataset = {
      name: 'drawn',
      labels,
      source: { url: '', license: '', sha256: '' },
      async *examples() {
        for (const [id, each] of scores.entries()) yield { id: String(id), text: String(each), label: 0 };
      },
    };
    const { at, calibration } = (await settledDecision(
      decisionChoice({ positive: ['attack'], threshold: `fpr=${rate}` }),
      { labels },
      classifier,
      { dataset },
      {},
    )) as ThresholdRule;
    let reached = 0;
    for (let fresh = 0; fresh < FRESH; fresh++) if (score() >= Math.fround(at)) reached++;
    const { low = 0, high = 1 } = calibration?.falsePositiveRate ?? {};
    if (reached / FRESH >= low && reached / FRESH <= high) within++;
    sum += reached / FRESH;
  }
  console.log(
    `${n} texts, ${100 * rate} % asked for: ${((100 * within) / draws).toFixed(1)} of 100 draws within the interval; mean rate on fresh texts ${((100 * sum) / draws).toFixed(2)} %`,
  );
}
