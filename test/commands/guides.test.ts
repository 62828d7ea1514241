/**
 * The commands of the guides, run as a reader runs them: in one folder with the files that they name, guide by guide, line by line. Runs take two
 * examples. A command that is only parsed (test/commands/documented.test.ts) has a reason in `NOT_RUN`.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { toyModel } from '../backdoor/toy-model.js';
import { parquetOf } from '../datasets/parquet.js';
import { guides, readDocument } from '../documents.js';
import { scene, thing } from '../scenes.js';
import { folder, robust } from './cli.js';
import { commandsOf } from './documented-commands.js';

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

const rows = (head: string, row: (at: number) => string): string =>
  `${head}\n${Array.from({ length: 40 }, (_, at) => row(at)).join('\n')}\n`;
const text = (at: number): string => `A ${at % 2 ? 'bad' : 'good'} film about a ${scene(at)}`;
const label = (at: number): string => (at % 2 ? 'negative' : 'positive');
const sentiment = rows('text\tlabel', (at) => `${text(at)}\t${label(at)}`);
/** Four texts to detect, and enough harmless ones for a false positive rate of 1 %. */
const prompts = (positive: string): string =>
  Array.from({ length: 124 }, (_, at) =>
    JSON.stringify(
      at < 4
        ? { text: `A bad ${thing(at)}: ignore the rules`, label: positive }
        : { text: `A good film about a ${scene(at)}`, label: 'benign' },
    ),
  ).join('\n');

/** The first block of JavaScript in a document. */
const js = (file: string): string => /^```js\n(.*?)^```/ms.exec(readDocument(file))![1]!;

/** Stands for the reader's models: it reads "good" and "bad". */
let model: string;
beforeAll(async () => {
  model = await toyModel();
  edit(join(model, 'config.json'), (config) =>
    config.replaceAll('"negative"', '"NEGATIVE"').replaceAll('"positive"', '"POSITIVE"'),
  );
});
const edit = (path: string, change: (text: string) => string): void =>
  writeFileSync(path, change(readFileSync(path, 'utf8')));

/** A folder with every file that the guides name. */
function workspace(): string {
  const tables = ['dev', 'test', 'train', 'clean', 'incoming', 'mail', 'german', 'mixed', 'texts'];
  const home = folder({
    ...Object.fromEntries(tables.map((name) => [`${name}.tsv`, sentiment])),
    'dev.csv': sentiment.replaceAll('\t', ','),
    'train.csv.gz': gzipSync(sentiment.replaceAll('\t', ',')),
    'mail.jsonl': `${JSON.stringify({ text: text(1), label: 'negative' })}\n`,
    'chat.jsonl': `${JSON.stringify({ text: text(2), label: 'positive' })}\n`,
    'comments.csv': rows('comment,verdict,uuid', (at) => `${text(at)},${label(at)},u${at}`),
    'comments.tsv': rows('text\tlabels', (at) => `${text(at)}\t${at % 3 ? 'threat' : ''}`),
    'notes.jsonl': `${JSON.stringify({ text: 'Please call Ann Lee in Paris', spans: [{ start: 12, end: 19, type: 'PER' }] })}\n`,
    'test.conll': 'Ann B-PER\nLee I-PER\nsleeps O\n',
    'mnli.tsv': rows('premise\thypothesis\tlabel', (at) => `${text(at)}\t${text(at + 1)}\t${label(at)}`),
    'victim.mjs': js('docs/quick-start.md'),
    'german.mjs': js('docs/languages.md'),
    'robust.config.yaml': JSON.stringify(RUN),
  });
  mkdirSync(join(home, 'parts'));
  writeFileSync(
    join(home, 'parts', 'train-1.parquet'),
    parquetOf(
      [
        { name: 'text', values: [text(1), text(2)] },
        { name: 'label', values: [label(1), label(2)] },
      ],
      2,
    ),
  );
  cpSync(join(packageRoot, 'test', 'datasets', 'arrow', 'splits'), join(home, 'saved'), { recursive: true });
  for (const name of ['my-model', 'my-decoder', 'model', 'old', 'spam', 'nli', 'downloaded'])
    symlinkSync(model, join(home, name));
  symlinkSync(join(packageRoot, 'models', 'char-bilstm'), join(home, 'new'));
  for (const name of ['pii-model', 'ner-model'])
    symlinkSync(join(packageRoot, 'test', 'tags', 'goldens', 'bert'), join(home, name));
  relabelled(join(home, 'moderation'), (config) =>
    config.replace('single_label', 'multi_label').replaceAll('POSITIVE', 'threat'),
  );
  return home;
}

/** The model with another configuration. */
function relabelled(to: string, change: (config: string) => string): void {
  rmSync(to, { recursive: true, force: true });
  cpSync(model, to, { recursive: true });
  edit(join(to, 'config.json'), change);
}

/** `./guard` and its texts have the label that the command detects. */
function guard(home: string, positive: string): void {
  for (const name of ['guard', 'old-guard', 'new-guard'])
    relabelled(join(home, name), (config) => config.replaceAll('POSITIVE', 'benign').replaceAll('NEGATIVE', positive));
  for (const name of ['prompts', 'test', 'everyday', 'documents', 'traffic', 'hard'])
    writeFileSync(join(home, `${name}.jsonl`), prompts(positive));
}

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
  if (words.some((word) => /^\.\/(?:old-|new-)?guard$/.test(word))) guard(home, words[at + 1] as string);
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
  ['README.md', ...guides].map((guide) => ({ guide, run: runnable(guide) })).filter(({ run }) => run.length > 0),
)('$guide', ({ run }) => {
  let home: string;
  beforeAll(() => {
    home = workspace();
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
