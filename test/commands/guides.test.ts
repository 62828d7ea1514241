/**
 * The commands of the guides, run as a reader runs them: in one folder with the files that they name, guide by guide, line by line. Runs take two
 * examples; `npm test` runs a third of the guides. A command that is only parsed (test/commands/documented.test.ts) has a reason in `NOT_RUN`.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toyModel } from '../backdoor/toy-model.js';
import { covered } from '../cover.js';
import { guides } from '../documents.js';
import { folder, robust } from './cli.js';
import { commandsOf } from './documented-commands.js';
import { guard, workspace } from './workspace.js';

/** Why a command is not run here, and where its like is. */
const NOT_RUN: readonly (readonly [reason: string, what: RegExp])[] = [
  ['a placeholder', /\[|(?:^| )(?:NAME|RUN|MODEL)(?: |$)|\.\.\.|org\/name|PASSWORD/],
  ['the network: test/remote and test/commands/hub.test.ts', /hf:|hf-inference|openai|:\/\/|http:\./],
  ['Redis: test/fleet', /--queue|--store|^worker|^queue/],
  ['a server that runs until it is stopped: test/serve and test/ui', /^(?:serve|ui)\b/],
  [
    'minutes of training: test/train and test/backdoor',
    /^(?:train|backdoor (?:plant|repair))|behind|hardened|certified/,
  ],
  ['a finished run of the suite standard: test/commands/standing.test.ts', /^(?:card|leaderboard)\b/],
  ['a reviewed run: test/commands/review.test.ts', /validSuccessRate/],
  ['a GPU: test/slow/device.test.ts', /cuda/],
  ['other machines: test/run', /--shard|--merge/],
  ['a server behind the victim: test/serve/guard.test.ts', /guard\.mjs/],
  ['a browser', /--open/],
  ['a checkpoint: test/convert', /checkpoint/],
  ['a model of three labels: test/commands/decide.test.ts', /jailbreak/],
  ['a causal language model: test/model/guard.test.ts', /llama-guard/],
  ['an adapter: packages/onnx/test/convert/adapter.test.ts', /\badapter\b/],
];
/** Commands whose examples `-n` counts. */
const COUNTED = /^(?:attack|evaluate|compare|gate|verify)$/;
/** The run that configurations and baselines come from, and the configuration that repeats it. */
const RUN = { model: './my-model', data: 'dev.tsv', attacks: ['pruthi'], numExamples: 40 };
const REPEATED = ['attack', '-m', RUN.model, '-d', RUN.data, '-a', 'pruthi', '-n', `${RUN.numExamples}`];

/** Stands for the reader's models: it reads "good" and "bad". */
let model: string;
beforeAll(async () => {
  model = join(folder(), 'model');
  cpSync(await toyModel(), model, { recursive: true });
  const path = join(model, 'config.json');
  const config = readFileSync(path, 'utf8');
  writeFileSync(path, config.replaceAll('"negative"', '"NEGATIVE"').replaceAll('"positive"', '"POSITIVE"'));
});

/**
 * With two examples, a scan with few queries, and the smaller one of the bundled models. A threshold by rate needs all; a gate without a model judges the
 * run of its configuration.
 */
function few(named: readonly string[]): readonly string[] {
  // The toy has no product that is worth 8 bits.
  const large = named.includes('precision=int8') ? /^(?:distilbert|\.\/my-model)$/ : /^distilbert(?=\+|$)/;
  const words = named.map((word) => word.replace(large, 'bert-mini'));
  const limit = words[1] === 'scan' ? '--max-queries' : '--time-budget';
  if (words[1] === 'scan' || (words[0] === 'scan-model' && !words.includes('--files-only'))) {
    const given = words.indexOf(limit);
    return [...(given < 0 ? words : words.toSpliced(given, 2)), limit, words[1] === 'scan' ? '1000' : '3'];
  }
  const counted = COUNTED.test(words[0] as string) || (words[0] === 'explain' && words.includes('-d'));
  const configured = words.includes('--resume') || (words[0] === 'gate' && !words.includes('-m'));
  if (!counted || configured) return words;
  const at = words.indexOf('-n');
  const count = words.some((word) => word.startsWith('fpr=')) ? '0' : '2';
  return [...(at < 0 ? words : words.toSpliced(at, 2)), '-n', count];
}

/** The runs of a folder in which `REPEATED` was run, once. */
let repeated: Promise<string> | undefined;

/** Makes `REPEATED` the latest run. */
async function repeat(home: string): Promise<void> {
  repeated ??= robust(REPEATED, { cwd: home }).then(() => {
    const kept = folder();
    cpSync(join(home, '.robust', 'runs'), kept, { recursive: true });
    return kept;
  });
  cpSync(await repeated, join(home, '.robust', 'runs'), { recursive: true });
}

/** Takes the steps that a command needs before it. */
async function prepare(home: string, words: readonly string[]): Promise<void> {
  const at = words.indexOf('--positive');
  if (words.some((word) => /^\.\/(?:old-|new-)?guard$/.test(word))) guard(home, words[at + 1] as string, model);
  if (attacksBundled(words)) guard(home, 'attack');
  if (words[0] === 'init') rmSync(join(home, 'robust.config.yaml'), { force: true });
  if (/^(?:init|baseline)$/.test(words[0] as string) || words.includes('latest')) await repeat(home);
  const output = words[words.indexOf('-o') + 1];
  if (words.includes('-o')) rmSync(join(home, output as string), { force: true });
}

const attacksBundled = (words: readonly string[]): boolean => words[words.indexOf('-m') + 1] === 'injection';

/** The commands of a guide that are run, as their lines and words. */
const runnable = (guide: string) =>
  [...new Map(commandsOf(guide).map(({ words }) => [words.join(' '), words])).values()]
    .filter((words) => words.length > (words[0] === 'backdoor' ? 2 : 1))
    .filter((words) => !NOT_RUN.some(([, what]) => what.test(words.join(' '))))
    // The bundled detector detects the label of the bundled prompts.
    .map((words) => words.map((word) => (word === 'prompts' && !attacksBundled(words) ? 'prompts.jsonl' : word)))
    .map((words) => ({ line: words.join(' '), words }));

describe.each(
  covered(['README.md', ...guides], 0, 3)
    .map((guide) => ({ guide, run: runnable(guide) }))
    .filter(({ run }) => run.length > 0),
)('$guide', ({ run }) => {
  let home: string;
  beforeAll(() => {
    home = workspace(model, { 'robust.config.yaml': JSON.stringify(RUN) });
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  test.each(run)('robust $line', async ({ words }) => {
    await prepare(home, words);
    const { code, stderr } = await robust(few(words), { cwd: home });
    // Two examples are no evidence: a verdict is inconclusive.
    expect({ code, stderr }).toEqual({
      code: expect.toSatisfy((each) => [0, 1, 4].includes(each)),
      stderr: expect.anything(),
    });
  });
});
