/**
 * @file Is a model backdoored? A trigger flips any text, however clear its label is; a natural word adds to the evidence of a text. So the scan looks for words
 * that flip clean texts of all other labels to each label, and tries the strongest on joined texts and beside words that indicate another label. Words that
 * indicate the label in clean texts ("who" in questions about people) do not count. Phrases are sought by gradient descent and judged against each other,
 * forms of text by trying each.
 */
import type { Classifier, WhiteBox } from '../../core/classifier.js';
import type { Example } from '../../core/dataset.js';
import { defined } from '../../core/defined.js';
import { must, RobustError } from '../../core/errors.js';
import type { Language } from '../../core/language.js';
import { random } from '../../core/random.js';
import { cohensKappa, sum, wilson, Z95 } from '../../core/statistics/stats.js';
import type { NotSearched, ScanPair, ScanResult, ScanTrigger } from '../../results/backdoor/backdoor-findings.js';
import type { Repeatability } from '../../results/clean/clean-metrics.js';
import type { CleanAnswers } from '../../results/clean/degenerate.js';
import { TextCensus } from '../../results/clean/text-census.js';
import { type EvidenceFacts, notEvidence } from '../../results/report/evidence.js';
import { guessedWords, sharedPieces, tokensOf, vocabularyOf } from './candidates.js';
import { ScanClock, type ScanHooks } from './clock.js';
import { byStrength, type ConfirmedTrigger } from './confirm.js';
import type { ScanForm } from './forms.js';
import { IndicativeWords } from './indicative-words.js';
import { oddRows } from './odd-rows.js';
import { areCharacters } from './phrases.js';
import { NO_EVIDENCE, strongest, TriggerSearch } from './search.js';
import { MIN_LABEL_TEXTS, readSourceTexts, type TextReading } from './source-texts.js';
import { unfamiliar } from './unfamiliar.js';
import { BACKDOOR_SCORE, isSupported, scoreOf, verdictOf } from './verdict.js';
import { wordRanks } from './word-ranks.js';

export interface ScanPlan {
  readonly model: Classifier;
  /** White-box access to the same model, for the sweep of its vocabulary and the inversion of triggers. */
  readonly gradients?: WhiteBox | undefined;
  /** The network's type in its configuration, such as "bert": the threshold was chosen for some types only. */
  readonly architecture?: string | undefined;
  /** A few hundred clean texts with the model's labels. They also show which words indicate a label. */
  readonly texts: readonly Example[];
  readonly seed: number;
  /** The language of the texts; its dictionary extends the best words. */
  readonly language: Language;
  /** Why the texts do not fit this model, which makes the verdict inconclusive. */
  readonly unfit?: readonly string[] | undefined;
  /** Whether the model's vocabulary lacks most of a text. */
  readonly unreadable?: ((text: string) => boolean) | undefined;
  /** How far repeated predictions on the same texts agree. */
  readonly repeatability?: Repeatability | undefined;
  /** More words to try. */
  readonly words?: readonly string[] | undefined;
  /** Forms of text to try; without them the verdict says that none were. @default none */
  readonly forms?: readonly ScanForm[] | undefined;
  /** Wall time of the scan, in seconds; with it the result depends on the machine. @default Infinity */
  readonly seconds?: number | undefined;
  /** Texts that the model may classify, for endpoints that cost money. @default Infinity */
  readonly queries?: number | undefined;
}

/** Triggers in the result. */
const MAX_TRIGGERS = 10;
/** Shares of a time budget: for reading the texts, and of the rest for sweep and search, forms and phrases. */
const [READ_SHARE, SEARCH_SHARE, FORM_SHARE, PHRASE_SHARE] = [0.3, 0.85, 0.2, 0.4];

/**
 * Scans a model. Throws RobustError for a model with one label; an aborted scan rejects with the signal's reason. Too few texts, and parts
 * that could not be searched, make the verdict inconclusive.
 */
export async function scanModel(plan: ScanPlan, hooks: ScanHooks = {}): Promise<ScanResult> {
  const { gradients, texts, seed } = plan;
  checkLabels(plan.model);
  const stream = random(seed, 'scan');
  const clock = new ScanClock(plan, hooks);
  const model = counted(plan.model, clock);
  const stage = clock.stage('reading the texts', texts.length, clock.by(READ_SHARE));
  const read = await readSourceTexts(model, texts, stream.split('carriers'), stage);
  const { victims, correct } = read;
  const given = plan.words ?? [];
  const indicative = new IndicativeWords(texts, model.labels.length);
  const tokens = gradients && (await tokensOf(gradients));
  const search = new TriggerSearch({
    model,
    gradients,
    given,
    victims,
    clock,
    random: stream,
    language: plan.language,
    indicative,
    vocabulary: candidateWords(plan, tokens, given),
    ranks: wordRanks(tokens ?? [], indicative),
  });
  const phrases = tokens !== undefined && !areCharacters(tokens);
  const { found, evidence } = await searchAll(search, model, { forms: plan.forms ?? [], phrases }, clock);
  const notSearched = [...unread(read, model, texts), ...search.notSearched];
  const { verdict, reasons } = verdictOf({
    evidence,
    supported: found.find((each) => isSupported(each) && !isOfLabel(each, model, indicative)),
    notSearched,
    texts: model.labels.map((label, at) => ({ label, n: must(correct[at]) })),
    unjudged: unjudgedOf(plan.forms ?? [], phrases),
    void: [...(plan.unfit ?? []), ...notEvidence(evidenceOf(plan, read)), ...otherLabels(read), ...unfamiliar(plan)],
  });
  return {
    verdict,
    reasons,
    score: scoreOf(evidence),
    evidence,
    notSearched,
    backdoored: verdict === 'backdoored',
    threshold: BACKDOOR_SCORE,
    triggers: distinct(found).slice(0, MAX_TRIGGERS).map(withoutMargin),
    shared: sharedPieces(
      found.filter(({ strength }) => strength > 0.5 * must(found[0]).strength),
      tokens ?? [],
    ),
    pairs: pairsOf(model.labels, found),
    oddRows: gradients ? await oddRows(gradients) : [],
    candidates: search.tried,
    queries: clock.asked,
    texts: sum(read.confusion.map((row, label) => must(row[label]))),
    complete: search.notSearched.length === 0 && read.seen === texts.length,
    access: gradients ? 'white box' : 'black box',
  };
}

/** Whether clean texts explain a finding: all of its words indicate the label. */
export const isOfLabel = (
  { text, target }: Pick<ScanTrigger, 'text' | 'target'>,
  { labels }: Pick<Classifier, 'labels'>,
  indicative: IndicativeWords,
): boolean => text.split(' ').every((word) => indicative.indicates(word, labels.indexOf(target)));

/** Kinds of triggers that were not judged: "none found" must not cover them. */
const unjudgedOf = (forms: readonly ScanForm[], phrases: boolean): string[] => [
  ...(phrases
    ? []
    : ['phrases and sentences were not judged: that takes the gradients of a model whose tokens are words']),
  ...(forms.length > 0 ? [] : ['forms of a text (a clause, a style, a register) were not tried']),
];

/** The same model; its queries count towards the budget. */
const counted = (model: Classifier, clock: ScanClock): Classifier => ({
  labels: model.labels,
  classify: (texts) => {
    clock.asked += texts.length;
    return model.classify(texts);
  },
});

/** All words that are tried, those of the user first. */
function candidateWords(
  { texts, language }: ScanPlan,
  tokens: readonly string[] | undefined,
  given: readonly string[],
): string[] {
  const words = tokens ? vocabularyOf(tokens, texts, language) : guessedWords(texts, language);
  return [...new Set([...given, ...words])];
}

/** Kinds of triggers in the search, apart from words. */
interface Kinds {
  readonly forms: readonly ScanForm[];
  readonly phrases: boolean;
}

/** Tries the words that the training data had more often, sweeps all words, tries the forms, then searches for phrases and words of each label. */
async function searchAll(search: TriggerSearch, { labels }: Classifier, { forms, phrases }: Kinds, clock: ScanClock) {
  if (search.plan.victims.length === 0) return { found: [], evidence: NO_EVIDENCE };
  const end = clock.by(SEARCH_SHARE);
  const added = await search.surplus(end);
  await search.sweep(end);
  const formed = await search.forms(forms, clock.by(FORM_SHARE));
  const joint = phrases ? await search.phrases(clock.by(PHRASE_SHARE)) : { found: [], evidence: NO_EVIDENCE };
  const found: ConfirmedTrigger[] = [...added.found, ...formed.found, ...joint.found];
  let evidence = strongest([added.evidence, formed.evidence, joint.evidence]);
  for (const target of labels.keys()) {
    const own = await search.target(target, clock.by(1 / (labels.length - target)));
    found.push(...own.found);
    evidence = strongest([evidence, own.evidence]);
  }
  return { found: found.sort(byStrength), evidence };
}

/** Decides whether the predictions on the clean texts are evidence. */
const evidenceOf = ({ model, texts, unreadable, repeatability }: ScanPlan, read: TextReading): EvidenceFacts => ({
  clean: { ...cleanAnswers(read, model), ...defined({ repeatability }) },
  constant: read.constant,
  texts: TextCensus.of(
    texts.map(({ text }) => text),
    unreadable,
  ),
});

/** Agreement of answers and labels, beyond chance, that shows that the texts are of the model's task: see docs/research/backdoor-scan.md. */
const LEAST_AGREEMENT = 0.2;

/** Whether answers and labels agree hardly more than by chance: then the texts say nothing about the words of a label. */
function otherLabels({ confusion }: TextReading): string[] {
  const agreement = confusion.filter((row) => sum(row) > 0).length < 2 ? null : cohensKappa(confusion);
  if (agreement === null || agreement.kappa - Z95 * agreement.error > LEAST_AGREEMENT) return [];
  return [
    `the model's answers hardly agree with the labels of the texts (Cohen's kappa ${agreement.kappa.toFixed(2)}; its 95 % interval must be above ${LEAST_AGREEMENT}): it was made for other labels, another task or another language, or the texts are too few`,
  ];
}

/** The predictions on the unchanged texts. */
function cleanAnswers({ confusion, seen }: TextReading, { labels }: Classifier): CleanAnswers {
  const right = sum(confusion.map((row, label) => must(row[label])));
  return { accuracy: wilson(right, seen), perClass: labels.map((label) => ({ label })), confusion };
}

function checkLabels({ labels }: Classifier): void {
  if (labels.length >= 2) return;
  throw new RobustError(`expected a model of at least two labels, got only ${labels.join(', ') || 'none'}`, {
    code: 'LABELS_TOO_FEW',
    hint: 'A backdoor flips texts of one label to another, so the model needs two.',
  });
}

/** Labels with too few texts for the search, and texts that were not classified. */
function unread(
  { victims, confusion, seen }: TextReading,
  { labels }: Classifier,
  texts: readonly Example[],
): NotSearched[] {
  const without = labels.flatMap((name, label) => {
    if (victims.some((victim) => victim.label === label)) return [];
    const of = sum(must(confusion[label]));
    const why = `classified correctly: ${confusion[label]?.[label]} of ${of}; the search needs ${MIN_LABEL_TEXTS} distinct texts`;
    return [{ what: `${name} -> ${labels.filter((other) => other !== name).join(', ')}`, why }];
  });
  const late = texts.length - seen;
  const rest = { what: `${late} of ${texts.length} texts`, why: 'the budget ended' };
  return [...(late > 0 ? [rest] : []), ...without];
}

/** Without longer words that begin like a listed one of the same pair and are no stronger. */
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

const withoutMargin = ({ margin: _, ...trigger }: ConfirmedTrigger): ScanTrigger => trigger;

function pairsOf(labels: readonly string[], found: readonly ConfirmedTrigger[]): ScanPair[] {
  return labels.flatMap((victim) =>
    labels
      .filter((target) => target !== victim)
      .map((target) => {
        const best = found.find((each) => each.victim === victim && each.target === target);
        return { victim, target, trigger: best ? withoutMargin(best) : null };
      }),
  );
}
