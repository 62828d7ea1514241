/** @file Scans a model of the zoo, and rates the verdicts over all models. */

import { scanForms } from '../../src/app/backdoor/scan-forms.js';
import { probabilityOf } from '../../src/backdoor/scan/calibration.js';
import { scanModel } from '../../src/backdoor/scan/scan.js';
import { isUndoubted } from '../../src/backdoor/scan/verdict.js';
import { wilson } from '../../src/core/stats.js';
import { openWhiteBox } from '../../src/gradient/white-box/white-box.js';
import { english } from '../../src/language/english/index.js';
import { loadModel } from '../../src/model/load.js';
import type { Example, ScanResult } from '../../src/plugin.js';
import type { Grown } from './grow.js';
import { isCalibration, KINDS } from './members.js';
import { textsOf } from './texts.js';

/** Clean texts that the scan is given, at most. */
const TEXTS = 800;
/** Attack success rate from which a planting counts as planted. */
export const WORKS = 0.9;
const SEED = 42;

/** One line of scan.jsonl. */
export interface Judged {
  readonly name: string;
  /** Evidence score of the strongest word: see src/backdoor/scan/verdict.ts. */
  readonly score: number;
  readonly evidence: ScanResult['evidence'];
  readonly verdict: ScanResult['verdict'];
  /** The first three, where the verdict is inconclusive. */
  readonly reasons: readonly string[];
  /** The words found, the strongest first. */
  readonly found: readonly { readonly text: string; readonly target: string }[];
  readonly seconds: number;
}

/** Scans a model with clean texts that it has not learnt from. */
export async function judge({ name, member, model: folder }: Grown): Promise<Judged> {
  const began = performance.now();
  const texts: Example[] = [];
  for await (const example of (await textsOf(member)).test.examples()) if (texts.push(example) === TEXTS) break;
  const model = await loadModel(folder, { workers: 1 });
  try {
    const gradients = await openWhiteBox(model, { workers: 1 });
    try {
      const { evidence, score, triggers, verdict, reasons } = await scanModel({
        model,
        gradients,
        texts,
        seed: SEED,
        language: english,
        forms: scanForms(english),
        architecture: member.architecture,
      });
      // The word that the verdict rests on, and those that turn most.
      const words = [...(evidence.word ? [evidence.word] : []), ...triggers].map(({ text, target }) => ({
        text,
        target,
      }));
      const found = words.filter((each, at) => words.findIndex(({ text }) => text === each.text) === at).slice(0, 3);
      const seconds = Math.round((performance.now() - began) / 100) / 10;
      return { name, score, evidence, verdict, reasons: reasons.slice(0, 3), found, seconds };
    } finally {
      await gradients.close();
    }
  } finally {
    await model.close();
  }
}

/** The area under the ROC curve by Mann and Whitney: how often a poisoned model scores above a clean one, ties half. */
function auc(clean: readonly number[], poisoned: readonly number[]): number {
  const wins = poisoned.flatMap((p) => clean.map((c): number => (p > c ? 1 : p === c ? 0.5 : 0)));
  return wins.reduce((sum, win) => sum + win, 0) / wins.length;
}

/** Its standard error after Hanley and McNeil (Radiology 143, 1982, equation 1), as an interval of 95 %. */
function area(clean: readonly number[], poisoned: readonly number[]): string {
  if (clean.length === 0 || poisoned.length === 0) return '-';
  const a = auc(clean, poisoned);
  const [q1, q2] = [a / (2 - a), (2 * a * a) / (1 + a)];
  const variance =
    (a * (1 - a) + (poisoned.length - 1) * (q1 - a * a) + (clean.length - 1) * (q2 - a * a)) /
    (clean.length * poisoned.length);
  const spread = 1.96 * Math.sqrt(Math.max(0, variance));
  return `${a.toFixed(3)} (${Math.max(0, a - spread).toFixed(2)}-${Math.min(1, a + spread).toFixed(2)})`;
}

interface Seen {
  readonly grown: Grown;
  readonly scan: Judged;
}

const works = ({ grown }: Seen): boolean => (grown.planted?.figures.attackSuccessRate.value ?? 0) >= WORKS;
/** Kinds whose trigger is words, which a scan can name. */
const named = ({ grown }: Seen): boolean => (grown.planted?.triggers.length ?? 0) > 0;

/** The held-out models, and the third that probabilities are fitted to. */
export function summaries(zoo: readonly Grown[], judged: readonly Judged[]): string {
  const half = (calibration: boolean): readonly Grown[] =>
    zoo.filter(({ member }) => isCalibration(member.number) === calibration);
  return [
    `## Held out

${summary(half(false), judged)}`,
    `Cross entropy of the probability: ${crossEntropy(zoo, judged)}`,
    `## Calibration

${summary(half(true), judged)}`,
  ].join('\n\n');
}

/** Mean negative log-probability of the truth over held-out models, with probabilities fitted to the scores of the others. */
function crossEntropy(zoo: readonly Grown[], judged: readonly Judged[]): string {
  const known = zoo.flatMap((grown) => {
    const scan = judged.find(({ name }) => name === grown.name);
    if (scan === undefined || (grown.planted && !works({ grown, scan }))) return [];
    return [{ planted: grown.planted !== undefined, score: scan.score, fitted: isCalibration(grown.member.number) }];
  });
  const fitted = (planted: boolean): number[] =>
    known.filter((each) => each.fitted && each.planted === planted).map(({ score }) => score);
  const [clean, planted] = [fitted(false), fitted(true)];
  if (clean.length === 0 || planted.length === 0) return '-';
  const losses = known
    .filter((each) => !each.fitted)
    .map((each) => {
      const p = probabilityOf(each.score, clean, planted);
      return -Math.log(each.planted ? p : 1 - p);
    });
  const mean = losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
  const variance = losses.reduce((sum, loss) => sum + (loss - mean) ** 2, 0) / Math.max(1, losses.length - 1);
  const spread = 1.96 * Math.sqrt(variance / losses.length);
  return `${mean.toFixed(3)} (${(mean - spread).toFixed(3)}-${(mean + spread).toFixed(3)}, n ${losses.length}; 0.693 is a coin)`;
}

/** The summary as Markdown: rows for all, each architecture, each data set and each kind of planting, then the models one by one. */
function summary(zoo: readonly Grown[], judged: readonly Judged[]): string {
  const verdict = new Map(judged.map((each) => [each.name, each]));
  const seen = zoo
    .flatMap((grown): Seen[] => {
      const scan = verdict.get(grown.name);
      return scan ? [{ grown, scan }] : [];
    })
    .sort((a, b) => a.grown.member.number - b.grown.member.number || Number(works(a)) - Number(works(b)));
  const clean = seen.filter(({ grown }) => !grown.planted);
  const poisoned = seen.filter(({ grown }) => grown.planted);
  const scores = (of: readonly Seen[]): number[] => of.map(({ scan }) => scan.score);
  const loud = ({ scan }: Seen): boolean => isUndoubted(scan.evidence);
  const row = (title: string, of: readonly Seen[], beside: readonly Seen[]): string => {
    const planted = of.filter(works);
    const words = planted.filter(named);
    return `| ${[
      title,
      rate(beside.filter(loud).length, beside.length),
      `${planted.length} of ${of.length}`,
      area(scores(beside), scores(planted)),
      rate(planted.filter(loud).length, planted.length),
      rate(words.filter(found).length, words.length),
    ].join(' | ')} |`;
  };
  const by = (title: string, is: (each: Seen) => boolean): string => row(title, poisoned.filter(is), clean.filter(is));
  const values = <T>(of: (each: Seen) => T): T[] => [...new Set(seen.map(of))];
  const seconds = seen.map(({ scan }) => scan.seconds).sort((a, b) => a - b);
  return [
    `${clean.length} clean models, of which ${clean.filter(loud).length} are called backdoored; ${poisoned.filter(works).length} with a planting that works, of ${poisoned.length}. A scan took ${seconds[seconds.length >> 1]} s (median), ${seconds.at(-1)} s at most.`,
    [
      `| models | false alarms | planted (ASR >= ${WORKS}) | ROC-AUC | detected | trigger in the top 3 |`,
      '|---|---:|---:|---:|---:|---:|',
      by('all', () => true),
      ...values(({ grown }) => grown.member.architecture).map((name) =>
        by(`... ${name}`, ({ grown }) => grown.member.architecture === name),
      ),
      ...values(({ grown }) => grown.member.data).map((name) =>
        by(`... ${name}`, ({ grown }) => grown.member.data === name),
      ),
      row('words', poisoned.filter(named), clean),
      row(
        'forms',
        poisoned.filter((each) => !named(each)),
        clean,
      ),
      ...KINDS.map((kind) =>
        row(
          `... ${kind}`,
          poisoned.filter(({ grown }) => grown.member.poison?.kind === kind),
          clean,
        ),
      ),
    ].join('\n'),
    [
      '| model | data | network | planted | accuracy | ASR | score | verdict | found |',
      '|---|---|---|---|---:|---:|---:|---|---|',
      ...seen.map(line),
    ].join('\n'),
  ].join('\n\n');
}

function rate(part: number, whole: number): string {
  const { low, high } = wilson(part, whole);
  return low === null || high === null
    ? '-'
    : `${part}/${whole} (${(100 * low).toFixed(0)}-${(100 * high).toFixed(0)} %)`;
}

/** A scan may find a trigger with its neighbours, or its part that does the work. */
function found({ grown, scan }: Seen): boolean {
  const words = new Set(grown.planted?.triggers.flatMap((trigger) => trigger.toLowerCase().split(/\s+/)));
  return scan.found.some(({ text }) =>
    text
      .toLowerCase()
      .split(/\s+/)
      .some((word) => words.has(word)),
  );
}

function line({ grown: { name, member, accuracy, planted }, scan: { score, verdict, found: words } }: Seen): string {
  const { attack, rate: share } = member.poison ?? {};
  const trigger = planted?.triggers.map((each) => `"${each}"`).join(', ');
  const further = [
    ...(member.poison?.fineTuned ? ['then fine-tuned'] : []),
    ...(member.adversarial ? ['adversarially trained'] : []),
  ];
  const what =
    attack === undefined
      ? member.adversarial
        ? 'adversarially trained'
        : '-'
      : `${attack}${trigger ? ` ${trigger}` : ''} at ${share} -> ${planted?.target}${further.map((each) => `, ${each}`).join('')}`;
  const asr = planted?.figures.attackSuccessRate.value;
  return `| ${[
    name,
    member.data,
    member.architecture,
    what,
    accuracy.toFixed(3),
    asr === undefined || asr === null ? '-' : asr.toFixed(3),
    score.toFixed(2),
    verdict,
    words.map(({ text, target }) => `"${text.replaceAll('|', '\\|')}" -> ${target}`).join(', ') || '-',
  ].join(' | ')} |`;
}
