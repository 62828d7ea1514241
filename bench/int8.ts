/**
 * @file Measures products in 8 bits (packages/onnx/src/graph/int8-products.ts): the processor time of a batch of the plain graph, of the graph whose last
 * block computes only the row that is read, and of the latter in 8 bits. One thread each; runs alternate. The figures are 10th percentiles,
 * which noise from other work hardly changes.
 *
 *     npm run bench dist/bench/int8.js [-- base | MODEL.onnx ...]      # the bundled models without a name; base: DistilBERT's shape, random weights
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readModelOutline } from '../packages/onnx/src/graph/load.js';
import { packageRoot } from '../src/core/package-root.js';
import { withInt8Products } from '../src/model/graph/int8-products.js';
import { linkedGraph } from '../src/model/graph/linked-graph.js';
import { withPrunedRows } from '../src/model/graph/row-pruning.js';
import { weightBits } from '../src/model/workers/int8-weights.js';
import { OrtSession } from '../src/model/workers/session.js';
import { DISTILBERT_BASE, encoder } from './models.js';
import { tokenFeeds } from './token-feeds.js';

const RUNS = 21;
/** Texts and tokens of a batch. */
const BATCHES = [
  [1, 2],
  [1, 30],
  [4, 30],
  [16, 30],
] as const;

const scratch = mkdtempSync(join(tmpdir(), 'robust-int8-'));
const named = process.argv.slice(2).filter((argument) => argument !== '--');
const files = (named.length > 0 ? named : ['bert-mini', 'distilbert']).map((name) => {
  if (name !== 'base') return name.endsWith('.onnx') ? name : join(packageRoot, 'models', name, 'model.onnx');
  const file = join(scratch, 'model.onnx');
  writeFileSync(file, encoder(DISTILBERT_BASE));
  return file;
});

async function time(session: OrtSession, given: Parameters<OrtSession['run']>[0]): Promise<number> {
  const begun = process.cpuUsage();
  await session.run(given);
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
}

const bits = await weightBits();
console.log(`weights of ${bits} bits\n`);
console.log('| model | texts x tokens | ms as it is | one row of the last block, over that | in 8 bits |');
console.log('|---|---|---:|---:|---:|');
for (const file of files) {
  const model = await readModelOutline(file);
  const pruned = withPrunedRows(model) ?? model;
  const rough = withInt8Products(pruned, bits);
  if (rough === undefined) {
    console.log(`| ${file} | | | | no product gains |`);
    continue;
  }
  const graphs = [pruned, rough.model].map((each) => linkedGraph(each, file) ?? file);
  const sessions = await Promise.all([file, ...graphs].map((source) => OrtSession.open({ source })));
  for (const [texts, tokens] of BATCHES) {
    const given = tokenFeeds(model.graph, texts, tokens);
    const times = sessions.map((): number[] => []);
    for (let run = -3; run < RUNS; run++) {
      for (const [at, session] of sessions.entries()) {
        const took = await time(session, given);
        if (run >= 0) times[at]?.push(took);
      }
    }
    const [whole = 0, row = 0, int8 = 0] = times.map(
      (each) => each.toSorted((a, b) => a - b)[Math.floor(RUNS / 10)] as number,
    );
    const ratios = [row, int8].map((each) => (each / whole).toFixed(2));
    console.log(`| ${file.split('/').at(-2)} | ${texts} x ${tokens} | ${whole.toFixed(2)} | ${ratios.join(' | ')} |`);
  }
  await Promise.all(sessions.map((session) => session.release()));
}
rmSync(scratch, { recursive: true });
