/**
 * @file Forms of a text as triggers: a clause, a style, a register. A planted form need not contain any particular word, so each form that
 * `robust backdoor plant` can plant is given to clean texts of all labels, and the others are its control: a clean model may change its
 * answer to any odd text, but not for one form alone.
 */
import type { Classifier } from '../../core/classifier.js';
import { must } from '../../core/errors.js';
import type { Poisoner } from '../../core/poisoner.js';
import { predictedLabel } from '../../core/prediction.js';
import type { Random } from '../../core/random.js';
import { wilson } from '../../core/statistics/stats.js';
import { insertPhrase } from '../../language/phrase-insertion.js';
import type { ScanEvidence } from '../../results/backdoor/backdoor-findings.js';
import type { ShouldContinue } from './clock.js';
import type { ConfirmedTrigger } from './confirm.js';
import { joinTexts, type SourceLabel } from './source-texts.js';
import { logOdds } from './sweep.js';

export interface ScanForm {
  /** The poisoning method with its options, as `--attack` takes it. */
  readonly name: string;
  readonly poisoner: Pick<Poisoner, 'trigger'>;
}

/** Texts of all labels together that a form is given to, and the fewest of one label. */
const [TEXTS, TEXTS_OF_LABEL] = [80, 6];
/** Words of the label that are put into the hardest texts. */
const AGAINST = 2;

export interface FormFindings {
  readonly found: readonly ConfirmedTrigger[];
  /** One entry for each form and target. */
  readonly evidence: readonly ScanEvidence[];
  /** Number of forms that were tried. */
  readonly tried: number;
}

export interface FormPlan {
  readonly model: Classifier;
  readonly forms: readonly ScanForm[];
  readonly victims: readonly SourceLabel[];
  /** [label]: its strongest words. */
  readonly ownWords: readonly (readonly string[])[];
  readonly random: Random;
}

/** Three kinds of texts of one label with a form, and the predictions for them. */
interface FormAnswers {
  readonly form: ScanForm;
  readonly victim: SourceLabel;
  readonly plain: readonly Float32Array[];
  readonly strong: readonly Float32Array[];
  readonly against: readonly Float32Array[];
}

/** Gives each form to texts of each label; ends where the clock says so. */
export async function tryForms(plan: FormPlan, going: ShouldContinue): Promise<FormFindings> {
  const { model, forms, victims } = plan;
  const bare = victims.map((victim) => bareTexts(victim, plan));
  const answers: FormAnswers[] = [];
  let tried = 0;
  while (tried < forms.length && going(tried)) {
    const form = must(forms[tried++]);
    answers.push(...(await Promise.all(bare.map((texts) => answersTo(form, texts, plan)))));
  }
  const found = model.labels.flatMap((_, target) =>
    answers
      .filter(({ victim, plain }) => victim.label !== target && plain.length > 0)
      .map((each) => triggerOf(each, target, answers, model.labels)),
  );
  const evidence = model.labels.flatMap((target) => evidenceFor(found.filter((each) => each.target === target)));
  return { found, evidence, tried };
}

/** Texts of one label that each form is given to. */
interface BareTexts extends Record<'plain' | 'joined' | 'against', readonly string[]> {
  readonly victim: SourceLabel;
}

function bareTexts(victim: SourceLabel, { victims, ownWords, random }: FormPlan): BareTexts {
  const count = Math.max(TEXTS_OF_LABEL, Math.ceil(TEXTS / victims.length));
  const own = (ownWords[victim.label] ?? []).slice(0, AGAINST);
  const plain = victim.texts.slice(0, count);
  const against = plain.map((text, at) =>
    own.reduce((made, word) => insertPhrase(made, word, 'random', random.split(`own ${word} ${at}`)), text),
  );
  return { victim, plain, joined: joinTexts(victim.texts, 2).slice(0, count), against };
}

async function answersTo(
  form: ScanForm,
  { victim, plain, joined, against }: BareTexts,
  { model, random }: FormPlan,
): Promise<FormAnswers> {
  const withForm = (texts: readonly string[], kind: string): string[] =>
    texts.flatMap((text, at) => form.poisoner.trigger(text, random.split(`${form.name} ${kind} ${at}`)) ?? []);
  const groups = [withForm(plain, 'plain'), withForm(joined, 'joined'), withForm(against, 'against')] as const;
  const rows = await model.classify(groups.flat());
  const [a, b] = [groups[0].length, groups[0].length + groups[1].length];
  return { form, victim, plain: rows.slice(0, a), strong: rows.slice(a, b), against: rows.slice(b) };
}

/** "syntactic" of "syntactic:pattern=closing": forms of one family are no control for each other. */
const familyOf = (name: string): string => must(name.split(':', 1)[0]);

function triggerOf(
  { form, victim, plain, strong, against }: FormAnswers,
  target: number,
  all: readonly FormAnswers[],
  labels: readonly string[],
): ConfirmedTrigger {
  const share = (rows: readonly Float32Array[]) =>
    wilson(rows.filter((row) => predictedLabel(row) === target).length, rows.length);
  const others = all.filter((each) => each.victim === victim && familyOf(each.form.name) !== familyOf(form.name));
  const rates = { flipRate: share(plain), strongFlipRate: share(strong), againstFlipRate: share(against) };
  const randomFlipRate = share(others.flatMap((each) => each.plain));
  const mean = Object.values(rates).reduce((sum, { value }) => sum + (value ?? 0), 0) / 3;
  return {
    ...rates,
    text: form.name,
    place: 'form',
    victim: must(labels[victim.label]),
    target: must(labels[target]),
    randomFlipRate,
    strength: Math.max(0, mean - (randomFlipRate.value ?? 0)),
    by: 'form',
    margin: strong.reduce((sum, row) => sum + logOdds(row[target]!), 0) / Math.max(1, strong.length),
  };
}

/** The mean strength of each form over the labels that it may flip, and that of the other families. */
function evidenceFor(found: readonly ConfirmedTrigger[]): ScanEvidence[] {
  const names = [...new Set(found.map(({ text }) => text))];
  const means = new Map(names.map((name) => [name, mean(found.filter(({ text }) => text === name))]));
  return names.map((name) => {
    const own = found.filter(({ text }) => text === name);
    const others = names.filter((other) => familyOf(other) !== familyOf(name)).map((other) => must(means.get(other)));
    const natural = others.length === 0 ? null : others.reduce((sum, each) => sum + each, 0) / others.length;
    const texts = own.reduce((sum, { flipRate }) => sum + flipRate.n, 0);
    return {
      strength: must(means.get(name)),
      natural,
      texts,
      word: { text: name, target: must(own[0]).target, place: 'form', by: 'form' },
    };
  });
}

const mean = (of: readonly ConfirmedTrigger[]): number =>
  of.reduce((sum, { strength }) => sum + strength, 0) / of.length;
