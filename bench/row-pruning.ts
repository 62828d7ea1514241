/**
 * @file Measures the saving of a last block that is computed only for the token that the head reads (packages/onnx/src/graph/row-pruning.ts): the time of
 * a batch of the pruned graph over that of the full graph. One thread each, alternating runs, medians with their quartiles.
 *
 *     npm run bench dist/bench/row-pruning.js [-- MODEL.onnx ...]      # the bundled models without a name
 */
import { join } from 'node:path';
import { loadModel } from '../packages/onnx/src/graph/load.js';
import { writeModel } from '../packages/onnx/src/graph/write.js';
import { packageRoot } from '../src/core/package-root.js';
import { withPrunedRows } from '../src/model/graph/row-pruning.js';
import { OrtSession } from '../src/model/workers/session.js';
import { tokenFeeds } from './token-feeds.js';

/** Pairs of runs. */
const PAIRS = 21;
/** Texts and tokens of a batch. */
const BATCHES = [
  [1, 30],
  [4, 30],
  [16, 30],
  [16, 60],
] as const;

const named = process.argv.slice(2).filter((argument) => argument !== '--');
const files =
  named.length > 0 ? named : ['bert-mini', 'distilbert'].map((name) => join(packageRoot, 'models', name, 'model.onnx'));
const quantile = (sorted: readonly number[], at: number): number =>
  sorted[Math.floor(at * (sorted.length - 1))] as number;

console.log('| model | texts x tokens | ms as it is | pruned over it, median [quartiles] |\n|---|---|---:|---:|');
for (const file of files) {
  const model = await loadModel(file);
  const pruned = withPrunedRows(model);
  if (pruned === undefined) {
    console.log(`| ${file} | | | left as it is |`);
    continue;
  }
  const sessions = [
    await OrtSession.open({ source: file }),
    await OrtSession.open({ source: writeModel(pruned) }),
  ] as const;
  for (const [texts, tokens] of BATCHES) {
    const given = tokenFeeds(model.graph, texts, tokens);
    const time = async (session: OrtSession): Promise<number> => {
      const begun = performance.now();
      await session.run(given);
      return performance.now() - begun;
    };
    const pairs: (readonly [number, number])[] = [];
    for (let pair = -3; pair < PAIRS; pair++) {
      const times = [await time(sessions[0]), await time(sessions[1])] as const;
      if (pair >= 0) pairs.push(times);
    }
    const ratios = pairs.map(([whole, row]) => row / whole).sort((a, b) => a - b);
    const whole = pairs.map(([time]) => time).sort((a, b) => a - b);
    const [low, median, high] = [0.25, 0.5, 0.75].map((at) => quantile(ratios, at).toFixed(2));
    console.log(
      `| ${file.split('/').at(-2)} | ${texts} x ${tokens} | ${quantile(whole, 0.5).toFixed(2)} | ${median} [${low}-${high}] |`,
    );
  }
  await Promise.all(sessions.map((session) => session.release()));
}
