/**
 * @file How often the diagnostics distrust ordinary models and planted false defences. Prints a line for each victim: the verdict, the checks
 * that failed, and the evidence.
 *
 *     npm run bench dist/bench/diagnostics/index.js -- reported|calibration|models [--journal=FILE] [MODEL ...]
 *
 * `calibration`: the models on which thresholds were chosen; `reported`: the thirty models of docs/research/diagnostics.md. Both train
 * small models on the bundled reviews and on ../shared/data; MODEL adds folders or names of other models, on the bundled reviews. `models`
 * runs these only. FILE keeps the lines of finished victims, which the next run with it does not repeat.
 */
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { standardCharacters } from '../../attacks/standard-characters.js';
import type { Classifier, WhiteBox } from '../../src/core/classifier.js';
import { trustLine } from '../../src/core/diagnostics/index.js';
import { packageRoot } from '../../src/core/package-root.js';
import type { Report } from '../../src/core/report.js';
import { wilson } from '../../src/core/stats.js';
import { diagnose } from '../../src/diagnostics/diagnose.js';
import { openWhiteBox } from '../../src/gradient/white-box/white-box.js';
import { english } from '../../src/language/english/index.js';
import { loadModel } from '../../src/model/load.js';
import type { EvasionPlugin } from '../../src/plugin.js';
import { attack, createRun, type RunPlan } from '../../src/run/index.js';
import { untargeted } from '../../src/search/goals.js';
import {
  cachedByDistance,
  noisy,
  refusingLong,
  rounded,
  saturated,
  stumbling,
  stumblingSilently,
  typoDetector,
} from './planted.js';
import { KINDS, type LabelledText, trained } from './victims.js';

export interface DiagnosedRun {
  readonly victim: Classifier;
  readonly texts: readonly LabelledText[];
  readonly gradients?: WhiteBox;
  /** Present where answers vary. */
  readonly again?: (text: string) => Promise<Float32Array>;
  readonly queryBudget?: number;
  readonly seed?: number;
  /** @default standard-characters */
  readonly by?: EvasionPlugin;
}

/** The report of a run of `standard-characters`, whose survivors the diagnostics query, on these texts. */
export async function diagnosedRun({
  victim,
  texts,
  gradients,
  again,
  queryBudget,
  seed = 42,
  by = standardCharacters,
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
    attacks: [
      {
        plugin: by,
        options: by.options.parse({}) as Record<string, unknown>,
        suite: 'standard',
        label: standardCharacters.name,
      },
    ],
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

/** Data sets of the bench, by name. */
function dataSets(): [string, LabelledText[]][] {
  const shared = join(packageRoot, '../shared/data');
  return [
    ['reviews', reviews()],
    ...(existsSync(shared)
      ? [
          ['sst2', readTexts(join(shared, 'sst2/train-sentences.tsv'), 'text', 'label', '1').slice(0, 3000)] as [
            string,
            LabelledText[],
          ],
          ['sms', readTexts(join(shared, 'sms-spam/sms.tsv'), 'text', 'label', 'spam').slice(0, 3000)] as [
            string,
            LabelledText[],
          ],
        ]
      : []),
  ];
}

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
  const seeds = part === 'calibration' ? [101, 102] : [1, 2];
  let [distrusted, victims] = [0, 0];
  for (const [data, texts] of part === 'models' ? [] : dataSets()) {
    const [attacked, learnt] = [texts.slice(0, EXAMPLES), texts.slice(EXAMPLES)];
    for (const kind of KINDS) {
      for (const seed of seeds) {
        victims++;
        const open = async () => ({ victim: trained(kind, learnt, seed), texts: attacked });
        if (await judged(`${data} ${kind} seed ${seed}`, journal, open)) distrusted++;
      }
    }
  }
  for (const spec of models) {
    const closing: (() => Promise<unknown>)[] = [];
    const open = async () => {
      const model = await loadModel(spec);
      const gradients = await openWhiteBox(model).catch(() => undefined);
      closing.push(
        async () => gradients?.close(),
        async () => model.close(),
      );
      return { victim: model, texts: reviews().slice(0, EXAMPLES), ...(gradients && { gradients }) };
    };
    victims++;
    if (await judged(spec, journal, open)) distrusted++;
    for (const close of closing) await close();
  }
  const { value, low, high } = wilson(distrusted, victims);
  const [share, from, to] = [value, low, high].map((each) => ((each ?? 0) * 100).toFixed(1));
  print(`${distrusted} of ${victims} ordinary models distrusted: ${share} % (${from}-${to})`);
  const [attacked, learnt] = [reviews().slice(0, EXAMPLES), reviews().slice(EXAMPLES)];
  const base = trained('logistic-letters', learnt, part === 'calibration' ? 103 : 3);
  const clean = attacked.map(({ text }) => text);
  const longest = Math.max(...clean.map(({ length }) => length));
  const planted: Record<string, Classifier> = {
    rounded: rounded(base),
    saturated: saturated(base),
    noisy: noisy(base),
    stumbling: stumbling(base, clean),
    'stumbling silently': stumblingSilently(base, clean),
    'cached by distance': cachedByDistance(base),
    'refusing long texts': refusingLong(base, longest),
    'typo detector': typoDetector(base, clean),
  };
  let found = 0;
  for (const [name, victim] of part === 'models' ? [] : Object.entries(planted)) {
    const again = async (text: string) => (await victim.classify([text]))[0] as Float32Array;
    if (await judged(name, journal, async () => ({ victim, texts: attacked, ...(name === 'noisy' && { again }) })))
      found++;
  }
  if (part !== 'models') print(`${found} of ${Object.keys(planted).length} false defences distrusted`);
}
