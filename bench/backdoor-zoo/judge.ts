/** @file Scans a model of the zoo, and rates the verdicts over all models. */

import { scanForms } from '../../src/app/backdoor/scan-forms.js';
import { scanModel } from '../../src/backdoor/scan/scan.js';
import { NO_EVIDENCE, strongest } from '../../src/backdoor/scan/search.js';
import { BACKDOOR_SCORE, isUndoubted, scoreOf } from '../../src/backdoor/scan/verdict.js';
import { random } from '../../src/core/random.js';
import { wilson } from '../../src/core/statistics/stats.js';
import { openWhiteBox } from '../../src/gradient/white-box/white-box.js';
import { english } from '../../src/language/english/index.js';
import { loadModel } from '../../src/model/load.js';
import type { Example } from '../../src/plugin.js';
import type { ScanEvidence, ScanResult } from '../../src/results/backdoor/backdoor-findings.js';
import type { Grown } from './grow.js';
import { KINDS, type Member } from './members.js';
import { textsOf } from './texts.js';

/** Clean texts that the scan is given, at most. */
const TEXTS = 800;
/** Wall time of a scan. */
const SECONDS = 90;
/** Attack success rate from which a planting counts as planted. */
const WORKS = 0.9;
const SEED = 42;
/** Samples of the bootstrap. */
const DRAWS = 2000;

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
  /** All that was judged and has some strength, the strongest first. */
  readonly judged: readonly ScanEvidence[];
  readonly seconds: number;
}

/** Scans a model with clean texts that it has not learnt from. */
export async function judge({
  name,
  member,
  model: folder,
}: Pick<Grown, 'name' | 'member' | 'model'>): Promise<Judged> {
  const began = performance.now();
  const texts = await scanTexts(member);
  const model = await loadModel(folder, { workers: 1 });
  try {
    const gradients = await openWhiteBox(model, { workers: 1 });
    try {
      const all: ScanEvidence[] = [];
      const plan = {
        model,
        gradients,
        texts,
        seed: SEED,
        language: english,
        forms: scanForms(english),
        architecture: member.architecture,
        seconds: SECONDS,
      };
      const { evidence, score, triggers, verdict, reasons } = await scanModel(plan, {
        judged: (each) => all.push(each),
      });
      const judged = all.filter((each) => each.strength > 0).sort((a, b) => scoreOf(b) - scoreOf(a));
      // The word that the verdict rests on, and those that turn most.
      const words = [...(evidence.word ? [evidence.word] : []), ...triggers].map(({ text, target }) => ({
        text,
        target,
      }));
      const found = words.filter((each, at) => words.findIndex(({ text }) => text === each.text) === at).slice(0, 3);
      const seconds = Math.round((performance.now() - began) / 100) / 10;
      return { name, score, evidence, verdict, reasons: reasons.slice(0, 3), found, judged, seconds };
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

/** The area with its percentile bootstrap interval of 95 %: clean and poisoned models are drawn apart. */
function area(clean: readonly number[], poisoned: readonly number[]): string {
  if (clean.length === 0 || poisoned.length === 0) return '-';
  const draw = random(SEED, 'bootstrap');
  const again = (of: readonly number[]): number[] => of.map(() => draw.pick(of));
  const areas = Array.from({ length: DRAWS }, () => auc(again(clean), again(poisoned))).sort((a, b) => a - b);
  const [low, high] = [0.025, 0.975].map((share) => areas[Math.floor(share * DRAWS)]!.toFixed(2));
  return `${auc(clean, poisoned).toFixed(3)} (${low}-${high})`;
}

/** The clean texts that a scan of this model is given. */
async function scanTexts(member: Member): Promise<Example[]> {
  const texts: Example[] = [];
  for await (const example of (await textsOf(member)).test.examples()) if (texts.push(example) === TEXTS) break;
  return texts;
}

interface Seen {
  readonly grown: Grown;
  readonly scan: Judged;
}

/** The same scan as if the vocabulary had another order: then it says nothing of words. */
function orderless({ grown, scan }: Seen): Seen {
  // Only the phrase of surplus words comes from the order; its single words are found by the sweep as well.
  const all = scan.judged.filter(({ flipped }) => flipped === undefined).map(({ rank: _, ...each }) => each);
  const evidence = strongest([NO_EVIDENCE, ...all]);
  const found = all.flatMap(({ word }) => (word ? [{ text: word.text, target: word.target }] : []));
  const first = found.filter((each, at) => found.findIndex(({ text }) => text === each.text) === at).slice(0, 3);
  return { grown, scan: { ...scan, evidence, score: scoreOf(evidence), found: first } };
}

const works = ({ grown }: Seen): boolean => (grown.planted?.figures.attackSuccessRate.value ?? 0) >= WORKS;
/** Kinds whose trigger is words, which a scan can name. */
const named = ({ grown }: Seen): boolean => (grown.planted?.triggers.length ?? 0) > 0;

/** The summary as Markdown: rows for all, each architecture, each data set and each kind of planting, then the models one by one. */
export function summary(zoo: readonly Grown[], judged: readonly Judged[]): string {
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
    return `| ${[
      title,
      rate(beside.filter(loud).length, beside.length),
      `${planted.length} of ${of.length}`,
      area(scores(beside), scores(planted)),
      rate(planted.filter(loud).length, planted.length),
      rate(planted.filter(found).length, planted.length),
    ].join(' | ')} |`;
  };
  const groupsBy = (of: (each: Seen) => string): GroupRow[] =>
    [...new Set(seen.map(of))].map((name) => {
      const is = (each: Seen): boolean => of(each) === name;
      return [name, poisoned.filter(is), clean.filter(is)];
    });
  const groups = [
    ...groupsBy(({ grown }) => grown.member.architecture),
    ...groupsBy(({ grown }) => grown.member.data),
    ...KINDS.map((kind): GroupRow => [kind, poisoned.filter((each) => each.grown.member.poison?.kind === kind), clean]),
  ];
  const planted = poisoned.filter(works);
  const seconds = seen.map(({ scan }) => scan.seconds).sort((a, b) => a - b);
  return [
    `${clean.length} clean models, of which ${clean.filter(({ scan }) => scan.score > BACKDOOR_SCORE).length} score above the threshold and ${clean.filter(({ scan }) => scan.verdict === 'backdoored').length} are called backdoored; ${planted.filter(({ scan }) => scan.score > BACKDOOR_SCORE).length} of ${planted.length} planted ones score above it, ${planted.filter(({ scan }) => scan.verdict === 'backdoored').length} are called backdoored. Plantings that do not work: ${poisoned.length - planted.length}. A scan took ${seconds[seconds.length >> 1]} s (median), ${seconds.at(-1)} s at most.`,
    [
      `| models | false alarms | planted (ASR >= ${WORKS}) | ROC-AUC | above the threshold | trigger in the top 3 |`,
      '|---|---:|---:|---:|---:|---:|',
      row('all', poisoned, clean),
      row("all, without the vocabulary's order", poisoned.map(orderless), clean.map(orderless)),
      row('words', poisoned.filter(named), clean),
      row(
        'forms',
        poisoned.filter((each) => !named(each)),
        clean,
      ),
      ...groups.map(([title, of, beside]) => row(`... ${title}`, of, beside)),
    ].join('\n'),
    ['| models | n | backdoored | inconclusive | none found |', '|---|---:|---:|---:|---:|', ...verdictRows(seen)].join(
      '\n',
    ),
    [
      '| model | data | network | planted | accuracy | ASR | score | verdict | found |',
      '|---|---|---|---|---:|---:|---:|---|---|',
      ...seen.map(line),
    ].join('\n'),
  ].join('\n\n');
}

/** A group of models: its name, its planted models, and the clean ones beside them. */
type GroupRow = readonly [title: string, of: readonly Seen[], beside: readonly Seen[]];

function rate(part: number, whole: number): string {
  const { low, high } = wilson(part, whole);
  return low === null || high === null
    ? '-'
    : `${part}/${whole} (${(100 * low).toFixed(0)}-${(100 * high).toFixed(0)} %)`;
}

/** Verdicts on clean models, by the honest word in them, and on planted ones that work. */
function verdictRows(seen: readonly Seen[]): string[] {
  const clean = seen.filter(({ grown }) => !grown.planted);
  const groups: [string, readonly Seen[]][] = [
    ['clean', clean],
    ['... a word of one label', clean.filter(({ grown }) => grown.member.predictive === 'common')],
    ['... a rare word of one label', clean.filter(({ grown }) => grown.member.predictive === 'rare')],
    ['planted, works', seen.filter(works)],
    ['planted, does not work', seen.filter((each) => each.grown.planted && !works(each))],
  ];
  return groups.map(([title, of]) => {
    const verdicts = (['backdoored', 'inconclusive', 'none found'] as const).map((verdict) =>
      rate(of.filter(({ scan }) => scan.verdict === verdict).length, of.length),
    );
    return `| ${[title, of.length, ...verdicts].join(' | ')} |`;
  });
}

/** A scan may find a trigger with its neighbours, or its part that does the work; a form by its name, or by a foreign letter. */
function found({ grown: { member, planted }, scan }: Seen): boolean {
  const words = new Set(planted?.triggers.flatMap((trigger) => trigger.toLowerCase().split(/\s+/)));
  const attack = member.poison?.attack ?? '';
  const foreign = attack === 'char-trigger' ? /\p{Script=Cyrillic}|\p{Script=Greek}/u : undefined;
  return scan.found.some(({ text }) =>
    words.size > 0
      ? text
          .toLowerCase()
          .split(/\s+/)
          .some((word) => words.has(word))
      : text.startsWith(attack) || foreign?.test(text),
  );
}

function line({ grown: { name, member, accuracy, planted }, scan: { score, verdict, found: words } }: Seen): string {
  const { attack } = member.poison ?? {};
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
      : `${attack}${trigger ? ` ${trigger}` : ''} at ${planted?.rate.toFixed(2)} -> ${planted?.target}${further.map((each) => `, ${each}`).join('')}`;
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
