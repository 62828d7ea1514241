/**
 * @file How often the diagnostics distrust ordinary models and planted false defences. Prints a line for each victim: the verdict, the checks
 * that failed, and the evidence.
 *
 *     npm run bench dist/bench/diagnostics/index.js -- reported|calibration|defences|models [--journal=FILE] [MODEL ...]
 *
 * `calibration`: the models on which thresholds were chosen; `reported`: the thirty models of docs/research/diagnostics.md. Both train
 * small models on the bundled reviews and on ../shared/data; `defences`: eight ordinary models of other data, and eighteen false defences
 * on two data sets; MODEL adds folders or names of other models, on the bundled reviews. `models`
 * runs these only. FILE keeps the lines of finished victims, which the next run with it does not repeat.
 */
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { standardCharacters } from '../../attacks/standard-characters.js';
import { standardContext } from '../../attacks/standard-context.js';
import { standardLayout } from '../../attacks/standard-layout.js';
import { standardWords } from '../../attacks/standard-words.js';
import type { Classifier, WhiteBox } from '../../src/core/classifier.js';
import { packageRoot } from '../../src/core/package-root.js';
import { random } from '../../src/core/random.js';
import { wilson } from '../../src/core/statistics/stats.js';
import { diagnose } from '../../src/diagnostics/diagnose.js';
import { openWhiteBox } from '../../src/gradient/white-box/white-box.js';
import { english } from '../../src/language/english/index.js';
import { loadModel } from '../../src/model/load.js';
import type { EvasionPlugin } from '../../src/plugin.js';
import { trustLine } from '../../src/results/diagnostics/index.js';
import type { Report } from '../../src/results/report/report.js';
import { attack, createRun, type RunPlan } from '../../src/run/index.js';
import { untargeted } from '../../src/search/goals.js';
import { falseDefences } from './planted.js';
import { KINDS, type LabelledText, trained } from './victims.js';

export interface DiagnosedRun {
  readonly victim: Classifier;
  readonly texts: readonly LabelledText[];
  readonly gradients?: WhiteBox;
  /** Present where answers vary. */
  readonly again?: (text: string) => Promise<Float32Array>;
  readonly queryBudget?: number;
  readonly seed?: number;
  /** @default the four attacks of the suite */
  readonly by?: readonly EvasionPlugin[];
}

const STANDARD = [standardCharacters, standardWords, standardLayout, standardContext];

/** The report of a run of the suite on these texts; the first attack takes the place of `standard-characters`. */
export async function diagnosedRun({
  victim,
  texts,
  gradients,
  again,
  queryBudget,
  seed = 42,
  by = STANDARD,
}: DiagnosedRun): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'robust-diagnostics-'));
  const plan: RunPlan = {
    model: {
      classifier: victim,
      name: 'victim',
      sha256: 'victim',
      ...(gradients && { gradients }),
      ...(again && { again, repeating: { classify: (batch) => victim.classify(batch), again } }),
    },
    dataset: {
      name: 'texts',
      labels: victim.labels,
      source: { url: 'texts', license: 'none', sha256: 'texts' },
      async *examples() {
        for (const [at, each] of texts.entries()) yield { id: String(at), ...each };
      },
    },
    attacks: by.map((plugin, at) => ({
      plugin,
      options: plugin.options.parse({}) as Record<string, unknown>,
      suite: 'standard',
      label: at === 0 ? standardCharacters.name : plugin.name,
    })),
    numExamples: 0,
    seed,
    engine: 'onnx',
    concurrency: 16,
    queryBudget,
    goal: untargeted,
    language: english,
    constraints: [],
    maxErrorRate: 0.02,
    decided: { seed, queryBudget: queryBudget ?? null },
    diagnose,
    command: 'bench',
    toolVersion: '0.1.0',
    settings: {},
    force: true,
  };
  try {
    return await attack(plan, await createRun(folder, plan));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The lines of a table of labelled texts, `positive` being label 1; short texts are left out. */
export function readTexts(path: string, textColumn: string, labelColumn: string, positive: string): LabelledText[] {
  const [head = '', ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  const columns = head.split('\t');
  const [text, label] = [textColumn, labelColumn].map((name) => columns.indexOf(name)) as [number, number];
  return lines
    .map((line) => line.replace(/\r$/, '').split('\t'))
    .map((cells) => ({ text: cells[text] ?? '', label: cells[label]?.trim() === positive ? 1 : 0 }))
    .filter((each) => each.text.length >= 20);
}

export const reviews = () => readTexts(join(packageRoot, 'datasets/data/reviews.tsv'), 'text', 'label', 'positive');

const shared = join(packageRoot, '../shared');

const TREC = ['ABBR', 'DESC', 'ENTY', 'HUM', 'LOC', 'NUM'];

/** Questions, by the kind of their answer: those of `test.txt` before those of `train.txt`. */
export const questions = (): LabelledText[] =>
  ['test.txt', 'train.txt'].flatMap((file) =>
    readFileSync(join(shared, 'data/trec', file), 'latin1')
      .trimEnd()
      .split('\n')
      .slice(0, 3000)
      .map((line) => ({ text: line.slice(line.indexOf(' ') + 1), label: TREC.indexOf(line.split(':')[0] ?? '') })),
  );

export const messages = (): LabelledText[] =>
  readTexts(join(shared, 'data/sms-spam/sms.tsv'), 'text', 'label', 'spam').slice(0, 3000);

const sentences = (file: string): LabelledText[] =>
  readTexts(join(shared, 'data/sst2', file), 'text', 'label', '1').slice(0, 3000);

/** Data sets of the bench, by name. */
const dataSets = (): [string, LabelledText[]][] => [
  ['reviews', reviews()],
  ...(existsSync(shared)
    ? ([
        ['sst2', sentences('train-sentences.tsv')],
        ['sms', messages()],
        ['trec', questions()],
      ] as [string, LabelledText[]][])
    : []),
];

/** Models that others trained, and ours of other data: folder, texts. */
const MODELS: readonly (readonly [string, () => LabelledText[]])[] = [
  ['imdb-wordcnn', () => readTexts(join(shared, 'data/imdb/reviews200.tsv'), 'text', 'label', '1').slice(0, 10)],
  ['sms-tfidf', messages],
  ['berttiny-sst2', () => sentences('test.tsv')],
  ['distilbert-small', () => sentences('test.tsv')],
];

/** Of `defences`: the kinds of models on text messages and questions, and the data on which defences are planted. */
const OTHER_KINDS = ['logistic-words', 'network-letters'] as const;
const PLANTED_ON = ['reviews', 'sms'];

/** Texts that are attacked; the others are trained on. */
const EXAMPLES = 24;

const print = (line: string) => process.stdout.write(`${line}\n`);

/** Lines of a journal, by the victim's name. */
const journalled = (journal: string): Map<string, string> =>
  new Map(
    (existsSync(journal) ? readFileSync(journal, 'utf8').split('\n') : [])
      .filter((line) => /^[^ \t].*\t/.test(line))
      .map((line) => [line.slice(0, line.indexOf('\t')), line]),
  );

async function lineOf(name: string, run: DiagnosedRun): Promise<string> {
  const { trustworthy, overall } = await diagnosedRun(run);
  if (trustworthy === undefined) throw new Error(`${name}: expected a verdict, got none`);
  const [clean, attacked] = [overall.originalAccuracy, overall.accuracyUnderAttack].map(({ value }) =>
    value?.toFixed(2),
  );
  const line = `${name}\t${clean} -> ${attacked}\t${trustLine(trustworthy)}`;
  if (process.env.EVIDENCE === undefined) return line;
  return [line, ...trustworthy.checks.map((each) => `    ${each.name}: ${each.status}: ${each.evidence}`)].join('\n');
}

/** Whether the victim is distrusted; prints and journals its line. `open` is not called for a victim of the journal. */
async function judged(name: string, journal: string, open: () => Promise<DiagnosedRun>): Promise<boolean> {
  const known = journalled(journal).get(name);
  const line = known ?? (await lineOf(name, await open()));
  if (known === undefined && journal !== '') appendFileSync(journal, `${line}\n`);
  print(line);
  return (line.split('\t')[2] ?? '').startsWith('no:');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const given = process.argv.slice(2).filter((argument) => argument !== '--');
  const journal = given.find((argument) => argument.startsWith('--journal='))?.slice('--journal='.length) ?? '';
  const [part = 'reported', ...models] = given.filter((argument) => !argument.startsWith('--journal='));
  const seeds = { calibration: [101, 102], defences: [4] }[part] ?? [1, 2];
  let [distrusted, victims] = [0, 0];
  for (const [data, texts] of part === 'models'
    ? []
    : dataSets().filter(([name]) => part !== 'defences' || /sms|trec/.test(name))) {
    const [attacked, learnt] = [texts.slice(0, EXAMPLES), texts.slice(EXAMPLES)];
    for (const kind of part === 'defences' ? OTHER_KINDS : KINDS) {
      for (const seed of seeds) {
        victims++;
        const open = async () => ({ victim: trained(kind, learnt, seed), texts: attacked });
        if (await judged(`${data} ${kind} seed ${seed}`, journal, open)) distrusted++;
      }
    }
  }
  const opened = [
    ...models.map((spec) => [spec, reviews] as const),
    ...(part === 'defences' ? MODELS.map(([name, texts]) => [join(shared, 'models', name), texts] as const) : []),
  ];
  for (const [spec, texts] of opened) {
    const closing: (() => Promise<unknown>)[] = [];
    const open = async () => {
      const model = await loadModel(spec);
      const gradients = await openWhiteBox(model).catch(() => undefined);
      closing.push(
        async () => gradients?.close(),
        async () => model.close(),
      );
      return { victim: model, texts: texts().slice(0, EXAMPLES), ...(gradients && { gradients }) };
    };
    victims++;
    if (await judged(spec.split('/').at(-1) ?? spec, journal, open)) distrusted++;
    for (const close of closing) await close();
  }
  const { value, low, high } = wilson(distrusted, victims);
  const [share, from, to] = [value, low, high].map((each) => ((each ?? 0) * 100).toFixed(1));
  print(`${distrusted} of ${victims} ordinary models distrusted: ${share} % (${from}-${to})`);
  for (const [data, texts] of part === 'defences' ? dataSets().filter(([name]) => PLANTED_ON.includes(name)) : []) {
    const [attacked, learnt] = [texts.slice(0, EXAMPLES), texts.slice(EXAMPLES)];
    const base = trained('logistic-letters', learnt, 3);
    const shuffled = random(3, 'labels').shuffle(learnt);
    const other = trained(
      'network-letters',
      learnt.map(({ text }, at) => ({ text, label: (shuffled[at] as LabelledText).label })),
      3,
    );
    const planted = Object.entries(
      falseDefences(
        base,
        other,
        attacked.map(({ text }) => text),
      ),
    );
    let found = 0;
    for (const [name, victim] of planted) {
      const again = async (text: string) => (await victim.classify([text]))[0] as Float32Array;
      const open = async () => ({ victim, texts: attacked, ...(name === 'noisy' && { again }) });
      if (await judged(`${data}: ${name}`, journal, open)) found++;
    }
    print(`${data}: ${found} of ${planted.length} false defences distrusted`);
  }
}
