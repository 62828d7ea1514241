/**
 * @file Measures the saving of attacks that share a run: texts that the model computed over queries. Runs go example by example, or attack
 * by attack if a budget may end them; both must find the same.
 *
 *     npm run bench dist/bench/shared-answers.js [model] [examples]
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { attack } from '../src/app/attack.js';

const [model = 'bert-mini', examples = '400'] = process.argv.slice(2);
const data = resolve('../shared/data/sst2/dev.tsv');
const home = process.cwd();

for (const [order, runBudget] of [
  ['example by example', undefined],
  ['attack by attack', 1e9],
] as const) {
  const folder = mkdtempSync(join(tmpdir(), 'robust-bench-'));
  process.chdir(folder);
  let computed = Number.NaN;
  const began = performance.now();
  const used = process.cpuUsage();
  const report = await attack({
    model,
    data,
    numExamples: Number(examples),
    suites: ['typos'],
    runBudget,
    onDetail: (line) => {
      computed = Number(/^(\d+) texts computed/.exec(line)?.[1] ?? computed);
    },
  });
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(used);
  let asked = 0;
  for await (const { queries } of report.examples) asked += queries.asked;
  const [run = ''] = readdirSync('.robust/runs').filter((name) => name.startsWith('2'));
  const hash = createHash('sha256').update(readFileSync(join('.robust/runs', run, 'results.jsonl')));
  process.stdout.write(
    `${model}, ${examples} sentences of SST-2 dev, suite typos, ${order}: ${computed} computed of ${asked} queries (${(computed / asked).toFixed(3)}), ` +
      `${((user + system) / 1e6).toFixed(1)} s of processor time, ${seconds.toFixed(1)} s; results ${hash.digest('hex').slice(0, 12)}\n`,
  );
  process.chdir(home);
  rmSync(folder, { recursive: true });
}
