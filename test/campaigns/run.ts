/**
 * @file `npm run campaign -- NAME [--count N] [--seed S] [--folder DIR] [--jobs J]`: runs a campaign and prints the counts of its trials'
 * ends. Each finished trial is a line of DIR/NAME-SEED.jsonl; the same command runs the missing trials. Exit code 1 if a trial ended in a
 * fault.
 */
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { wilson } from '../../src/core/statistics/stats.js';
import { campaigns } from './index.js';
import { type Numbered, trials } from './trials.js';

const { positionals, values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  allowPositionals: true,
  options: {
    count: { type: 'string' },
    seed: { type: 'string', default: '42' },
    folder: { type: 'string', default: join(tmpdir(), 'robust-campaigns') },
    jobs: { type: 'string', default: '2' },
  },
});
const campaign = campaigns.find(({ name }) => name === positionals[0]);
if (campaign === undefined) {
  console.error(
    `usage: npm run campaign -- NAME [--count N] [--seed S] [--folder DIR] [--jobs J]\n\n${campaigns
      .map(({ name, summary, count }) => `  ${name.padEnd(10)} ${summary} [${count}]`)
      .join('\n')}`,
  );
  process.exit(2);
}
mkdirSync(values.folder, { recursive: true });
const began = performance.now();
const done = await trials(campaign, {
  count: Number(values.count ?? campaign.count),
  seed: Number(values.seed),
  folder: values.folder,
  jobs: Number(values.jobs),
  onTrial: (trial, so) => {
    if (trial.fault !== undefined) console.log(`${trial.kind} ${trial.number}: ${trial.ended}: ${trial.fault}`);
    if (so % 1000 === 0) console.error(`${so} done`);
  },
});
console.log(summaryOf(done));
console.log(`\n${((performance.now() - began) / 1000).toFixed(0)} s`);
process.exitCode = done.some(({ fault }) => fault !== undefined) ? 1 : 0;

function summaryOf(all: readonly Numbered[]): string {
  const kinds = [...new Set(all.map(({ kind }) => kind))].sort();
  const rows = kinds.map((kind) => {
    const of = all.filter((trial) => trial.kind === kind);
    const ends = new Map<string, number>();
    for (const { ended } of of) ends.set(ended, (ends.get(ended) ?? 0) + 1);
    const faults = of.filter(({ fault }) => fault !== undefined).length;
    const told = [...ends].sort(([, a], [, b]) => b - a).map(([end, times]) => `${end} ${times}`);
    return `| ${kind} | ${of.length} | ${faults} | ${told.join(', ')} |`;
  });
  const faults = all.filter(({ fault }) => fault !== undefined).length;
  const most = wilson(faults, all.length).high ?? 1;
  return [
    '| what | trials | faults | how they ended |',
    '|---|---:|---:|---|',
    ...rows,
    '',
    `${all.length} trials, ${faults} faults: at most ${(100 * most).toFixed(3)} % with 95 % confidence (Wilson)`,
  ].join('\n');
}
