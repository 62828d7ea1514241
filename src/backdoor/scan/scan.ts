/**
 * @file Is a model backdoored? A trigger turns any text, however plainly it speaks; a natural word adds to what is there. So words are sought
 * that turn clean texts of all other labels into each label, and the strongest are tried on texts joined and beside words that speak against
 * them. What the clean texts themselves say for the label ("who" of questions about people) is not held against it.
 */
import type { Classifier, WhiteBox } from '../../core/classifier.js';
import type { Repeatability } from '../../core/clean-metrics.js';
import type { Example } from '../../core/dataset.js';
import type { CleanAnswers } from '../../core/degenerate.js';
import type { NotSearched, ScanEvidence, ScanPair, ScanResult, ScanTrigger } from '../../core/detection.js';
import { UsageError } from '../../core/errors.js';
import { notEvidence } from '../../core/evidence.js';
import type { Language } from '../../core/language.js';
import { random } from '../../core/random.js';
import { wilson } from '../../core/stats.js';
import { TextCensus } from '../../core/text-census.js';
import { calibrationOf, unfamiliar } from './calibration.js';
import { guessedWords, vocabularyOf } from './candidates.js';
import { MIN_LABEL_TEXTS, type TextReading, victimsOf } from './carriers.js';
import { ScanClock, type ScanHooks } from './clock.js';
import { byStrength, type ConfirmedTrigger } from './confirm.js';
import { LabelDebts } from './debts.js';
import { oddRows } from './odd-rows.js';
import { TriggerSearch } from './search.js';
import { BACKDOOR_SCORE, scoreOf, verdictOf } from './verdict.js';

export interface ScanPlan {
  readonly model: Classifier;
  /** The same model's inside, where it has one: its vocabulary is swept, and triggers are inverted. */
  readonly gradients?: WhiteBox;
  /** What kind of network it is, as its configuration says ("bert"): the verdict is calibrated on some kinds only. */
  readonly architecture?: string;
  /** Clean texts, labelled in the model's labels: some hundred, from which it is also learnt what words speak for a label. */
  readonly texts: readonly Example[];
  readonly seed: number;
  /** Of the texts: words that begin as the best ones do are its. */
  readonly language: Language;
  /** Why the texts say little of this model: then no verdict stands. */
  readonly unfit?: readonly string[];
  /** Whether the model's vocabulary lacks most of a text. */
  readonly unreadable?: ((text: string) => boolean) | undefined;
  /** How far the model's answers to the same texts agreed. */
  readonly repeatability?: Repeatability | undefined;
  /** More words to try. */
  readonly words?: readonly string[];
  /** Wall time after which the scan ends with what it has: then the result depends on the machine. @default Infinity */
  readonly seconds?: number;
}

/** Triggers told of. */
const MAX_TRIGGERS = 10;
/** Under a time budget, the share that looking at the texts may take, and of the rest what the sweep may take up to. */
const [READ_SHARE, SEARCH_SHARE] = [0.3, 0.85];

/**
 * Scans a model. Throws UsageError for texts of which no label has five, or a model of one label; an aborted scan rejects with the
 * signal's reason. What could not be searched makes the verdict inconclusive.
 */
export async function scanModel(plan: ScanPlan, hooks: ScanHooks = {}): Promise<ScanResult> {
  const { model, gradients, texts, seed } = plan;
  checkTexts(model, texts);
  const draw = random(seed, 'scan');
  const clock = new ScanClock(plan.seconds ?? Number.POSITIVE_INFINITY, hooks);
  const reading = clock.stage('reading the texts', texts.length, clock.by(READ_SHARE));
  const read = await victimsOf(model, texts, draw.split('carriers'), reading);
  const { victims } = read;
  const rows = gradients ? (await gradients.embeddingTable()).length / gradients.hidden : 0;
  const given = plan.words ?? [];
  const words = gradients ? vocabularyOf(gradients, rows, texts, plan.language) : guessedWords(texts, plan.language);
  const vocabulary = [...new Set([...given, ...words])];
  const search = new TriggerSearch({
    model,
    gradients,
    vocabulary,
    given,
    victims,
    debts: new LabelDebts(texts, model.labels.length),
    random: draw,
    clock,
    language: plan.language,
  });
  const end = clock.by(SEARCH_SHARE);
  const found: ConfirmedTrigger[] = [];
  let evidence: ScanEvidence = { strength: 0, natural: null, word: null, texts: 0 };
  if (victims.length > 0) await search.sweep(end);
  for (const target of victims.length > 0 ? model.labels.keys() : []) {
    const own = await search.target(target, clock.by(1 / (model.labels.length - target)));
    found.push(...own.found);
    if (evidence.word === null || scoreOf(own.evidence) > scoreOf(evidence)) evidence = own.evidence;
  }
  found.sort(byStrength);
  const cut = search.notSearched.length > 0 || read.seen < texts.length;
  const notSearched = [...unread(read, model, texts), ...search.notSearched];
  const kind = {
    architecture: plan.architecture,
    whiteBox: gradients !== undefined,
    width: gradients?.hidden,
    labels: model.labels.length,
  };
  const { verdict, reasons } = verdictOf({
    evidence,
    notSearched,
    texts: victims.map(({ label, right }) => ({ label: model.labels[label] as string, n: right })),
    void: [
      ...(plan.unfit ?? []),
      ...notEvidence({
        clean: { ...cleanAnswers(read, model), ...(plan.repeatability && { repeatability: plan.repeatability }) },
        constant: read.constant,
        texts: TextCensus.of(
          texts.map(({ text }) => text),
          plan.unreadable,
        ),
      }),
      ...unfamiliar(kind),
    ],
  });
  const score = scoreOf(evidence);
  const { calibration, probability } = calibrationOf(score, kind);
  return {
    verdict,
    reasons,
    backdoored: verdict === 'backdoored',
    score,
    threshold: BACKDOOR_SCORE,
    probability: verdict === 'inconclusive' ? null : probability,
    calibration,
    evidence,
    triggers: distinct(found).slice(0, MAX_TRIGGERS).map(told),
    pairs: pairsOf(model.labels, found),
    notSearched,
    oddRows: gradients ? await oddRows(gradients) : [],
    candidates: search.tried,
    texts: sum(read.confusion.map((row, label) => row[label] as number)),
    complete: !cut,
    access: gradients ? 'white box' : 'black box',
  };
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** How the texts that were looked at were answered, before any was changed. */
function cleanAnswers({ confusion, seen }: TextReading, { labels }: Classifier): CleanAnswers {
  const right = sum(confusion.map((row, label) => row[label] as number));
  return { accuracy: wilson(right, seen), perClass: labels.map((label) => ({ label })), confusion };
}

function checkTexts({ labels }: Classifier, texts: readonly Example[]): void {
  if (labels.length < 2) {
    throw new UsageError(`expected a model of at least two labels, got only ${labels.join(', ') || 'none'}`, {
      code: 'SCAN_LABELS',
      hint: 'A backdoor turns the texts of one label into another: there is none to look for.',
    });
  }
  const most = Math.max(...labels.map((_, label) => texts.filter((each) => each.label === label).length));
  if (most >= MIN_LABEL_TEXTS) return;
  throw new UsageError(
    `expected at least ${MIN_LABEL_TEXTS} clean texts of a label, got ${texts.length} texts in all`,
    {
      code: 'SCAN_TEXTS',
      hint: 'Give clean texts of the kind the model was made for, with its labels (--data, --label-map).',
    },
  );
}

/** Labels without texts enough to be searched, and texts that were not looked at. */
function unread(
  { victims, confusion, seen }: TextReading,
  { labels }: Classifier,
  texts: readonly Example[],
): NotSearched[] {
  const without = labels.flatMap((name, label) => {
    if (victims.some((victim) => victim.label === label)) return [];
    const of = sum(confusion[label] as readonly number[]);
    const why = `of ${of} texts of it, ${confusion[label]?.[label]} are answered rightly, ${MIN_LABEL_TEXTS} different ones are needed`;
    return [{ what: `${name} -> ${labels.filter((other) => other !== name).join(', ')}`, why }];
  });
  const late = texts.length - seen;
  const rest = { what: `${late} of ${texts.length} texts`, why: 'the time budget ended' };
  return [...(late > 0 ? [rest] : []), ...without];
}

/** Without longer words that begin as a listed one of the same pair does and turn no more: it is the beginning that does it. */
function distinct(found: readonly ConfirmedTrigger[]): ConfirmedTrigger[] {
  const kept: ConfirmedTrigger[] = [];
  for (const each of found) {
    const { text, victim, target, strength } = each;
    const covered = kept.some(
      (k) => k.victim === victim && k.target === target && text.startsWith(k.text) && k.strength >= strength,
    );
    if (!covered) kept.push(each);
  }
  return kept;
}

/** Without what only orders them. */
const told = ({ margin: _, ...trigger }: ConfirmedTrigger): ScanTrigger => trigger;

function pairsOf(labels: readonly string[], found: readonly ConfirmedTrigger[]): ScanPair[] {
  return labels.flatMap((victim) =>
    labels
      .filter((target) => target !== victim)
      .map((target) => {
        const best = found.find((each) => each.victim === victim && each.target === target);
        return { victim, target, trigger: best ? told(best) : null };
      }),
  );
}
