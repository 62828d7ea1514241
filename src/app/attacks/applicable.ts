/**
 * @file Which of the chosen attacks can be carried out on a victim. Attacks of a suite that do not apply are left out and reported. An attack that was chosen by name and does not apply is an error.
 */
import { attacks as builtIn, suites } from '../../../attacks/index.js';
import type { ClosingStack } from '../../core/closing-stack.js';
import { RobustError, UnsupportedOpError } from '../../core/errors.js';
import { type Language, missingParts } from '../../core/language.js';
import { parseOptions, splitSpec } from '../../core/plugin-options.js';
import type { OpenWhiteBox } from '../../gradient/white-box/white-box.js';
import type { LeftOut } from '../../results/report/left-out.js';
import { needsGradients, type PlannedAttack } from '../../run/index.js';
import { isUnbounded } from '../../tasks/words.js';
import { answererOf, type OpenVictim } from '../victim/victim.js';
import { givesOnlyLabels } from './score-probe.js';

export interface ChosenAttacks {
  readonly attacks: readonly PlannedAttack[];
  readonly leftOut: readonly LeftOut[];
}

export interface ApplicableAttacks extends ChosenAttacks {
  /** The scores of the victim say no more than its labels: attacks on words search by these. */
  readonly labelsOnly: boolean;
  /** Present where an attack needs it. */
  readonly inside: OpenWhiteBox | undefined;
}

/**
 * `already`: what an earlier session of the run left out; the inside of the model is opened on `opened`. Throws RobustError ATTACK_UNSUPPORTED, and UnsupportedOpError for an
 * attack that was asked for by name, and where nothing of the suites would be left; ModelError for a model that cannot be read.
 */
export async function applicableAttacks(
  chosen: readonly PlannedAttack[],
  victim: OpenVictim,
  engine: 'onnx' | 'tfjs',
  opened: ClosingStack,
  already: readonly LeftOut[] = [],
): Promise<ApplicableAttacks> {
  let fit: ChosenAttacks = {
    attacks: chosen.filter(({ label }) => already.every(({ name }) => name !== label)),
    leftOut: already,
  };
  for (const { holds, unfit, reason, refused } of BEFORE_LANGUAGE)
    if (holds(victim)) fit = without(fit, unfit, reason, refused);
  fit = withoutLanguage(fit, victim.language);
  for (const { holds, unfit, reason, refused } of AFTER_LANGUAGE)
    if (holds(victim)) fit = without(fit, unfit, reason, refused);
  const number = answersNumber(victim);
  const { classifier } = answererOf(victim);
  const labelsOnly = !number && fit.attacks.some(searchesWords) && (await givesOnlyLabels(classifier, victim.dataset));
  const needed = fit.attacks.some(needsGradients);
  const closed = number || victim.dataset.tagged || victim.model.output?.windows !== undefined;
  if (!needed && (closed || !fit.attacks.some(usesGradients))) return { ...fit, labelsOnly, inside: undefined };
  const { openWhiteBox } = await import('../../gradient/white-box/white-box.js');
  try {
    return { ...fit, labelsOnly, inside: opened.add(await openWhiteBox(victim.model, { engine })) };
  } catch (error) {
    // A missing optional part does not refuse the run; the attack reports what it skips.
    if (!needed && error instanceof RobustError) return { ...fit, labelsOnly, inside: undefined };
    if (!(error instanceof UnsupportedOpError)) throw error;
    const left = without(fit, needsGradients, `needs gradients: ${error.message}`, () => error);
    return { ...left, labelsOnly, inside: undefined };
  }
}

/**
 * Leaves out the attacks that do not fit. Throws what `refused` says of one of them where that was asked for by name, or where
 * nothing of the suites would be left.
 */
function without(
  { attacks, leftOut }: ChosenAttacks,
  unfit: (attack: PlannedAttack) => boolean,
  reason: string,
  refused: (attack: PlannedAttack) => RobustError,
): ChosenAttacks {
  const out = attacks.filter(unfit);
  const rest = attacks.filter((attack) => !out.includes(attack));
  const one = out.find(({ named }) => named) ?? (rest.every(({ named }) => named) ? out[0] : undefined);
  if (one !== undefined) throw refused(one);
  return { attacks: rest, leftOut: [...leftOut, ...out.map(({ label, suite }) => ({ name: label, suite, reason }))] };
}

/** Leaves out the attacks that ask more of the language than it offers. Throws RobustError for one asked for by name, and where none is left. */
export function withoutLanguage({ attacks, leftOut }: ChosenAttacks, language: Language): ChosenAttacks {
  const lacks = attacks.map((attack) => missingParts(language, attack.plugin.create(attack.options).language));
  const out = attacks.flatMap(({ label, suite }, at) => {
    const reason = lacks[at];
    return reason === undefined ? [] : [{ name: label, suite, reason }];
  });
  const reasons = [...new Set(out.map(({ reason }) => reason))];
  const refused = attacks.findIndex(({ named }, at) => named && lacks[at] !== undefined);
  if (refused >= 0)
    throw new RobustError(`attack "${attacks[refused]?.label}" ${lacks[refused]}`, {
      code: 'LANGUAGE_UNSUPPORTED',
      hint: 'Take another attack, or a language that offers it: see docs/languages.md.',
    });
  if (out.length > 0 && out.length === attacks.length)
    throw new RobustError(
      `--language: no attack of ${[...new Set(out.map(({ suite }) => suite))].join(', ')} runs in ${language.name}: each ${reasons.join('; ')}`,
      { code: 'LANGUAGE_UNSUPPORTED', hint: `Suites that run: ${suitesFor(language).join(', ')}.` },
    );
  return {
    attacks: attacks.filter((_, at) => lacks[at] === undefined),
    leftOut: [...leftOut, ...reasons.flatMap((each) => out.filter(({ reason }) => reason === each))],
  };
}

/** Suites of which the language allows an attack. */
const suitesFor = (language: Language): string[] =>
  suites
    .filter(({ attacks }) =>
      attacks.some((spec) => {
        const { name, given } = splitSpec(spec);
        const plugin = builtIn.find((each) => each.name === name);
        const needed = plugin?.create(parseOptions(plugin, given)).language;
        return plugin !== undefined && missingParts(language, needed) === undefined;
      }),
    )
    .map(({ name }) => name);

/** Leaves out the attacks that look into a model, for those who have none to look into. Throws as `without` does. */
export const withoutInside = (
  chosen: readonly PlannedAttack[],
  reason: string,
  refused: (attack: PlannedAttack) => RobustError,
): ChosenAttacks =>
  without(
    { attacks: chosen, leftOut: [] },
    ({ plugin }) => plugin.needs === 'gradients' || plugin.level === 'embedding',
    reason,
    refused,
  );

const usesGradients = ({ plugin, options }: PlannedAttack): boolean => plugin.create(options).uses === 'gradients';

/** Whether it searches otherwise where scores say nothing. */
const searchesWords = ({ plugin: { level, needs } }: PlannedAttack): boolean =>
  needs !== 'gradients' && (level === 'word' || level === 'character');

const needsInside = (attack: PlannedAttack): boolean => needsGradients(attack) || attack.plugin.level === 'embedding';

const ONE_WINDOW = 'looks into the model, which reads one window at a time';

const windowed = ({ label }: PlannedAttack): RobustError =>
  new RobustError(`--task windows: attack "${label}" ${ONE_WINDOW}`, {
    code: 'ATTACK_UNSUPPORTED',
    hint: 'Take an attack that follows scores, or leave windows out: texts are then cut.',
  });

/** Gradients are of a label's loss; goals and texts of an attack's own name labels. */
const needsLabels = (attack: PlannedAttack): boolean =>
  needsInside(attack) || attack.plugin.ownGoal === true || attack.plugin.ownTexts === true;

const OF_LABELS = 'works on labels, and the victim answers a number';

const labelless = ({ label }: PlannedAttack): RobustError =>
  new RobustError(`attack "${label}" ${OF_LABELS}`, {
    code: 'TASK_UNSUPPORTED',
    hint: 'Take an attack that follows scores: -s typos, -s chars, -s synonyms, or a recipe of your own.',
  });

const OF_TEXTS = 'works on labels of texts, and the victim tags';

const ofTexts = ({ label }: PlannedAttack): RobustError =>
  new RobustError(`attack "${label}" ${OF_TEXTS}`, {
    code: 'TASK_UNSUPPORTED',
    hint: 'Take an attack that edits words one by one: -s typos, -s chars, -s synonyms, or a recipe of your own.',
  });

const OWN_TEXTS = 'asks the model of texts of its own, which are no pairs';

const pairless = ({ label }: PlannedAttack): RobustError =>
  new RobustError(`attack "${label}" ${OWN_TEXTS}`, {
    code: 'PAIRS_UNSUPPORTED',
    hint: 'Take another attack, or leave the pair out of --columns.',
  });

const BYPASSING = 'acts on embeddings, behind what a defence does to texts';

const bypassed = ({ label }: PlannedAttack): RobustError =>
  new RobustError(`--defend: ${label} ${BYPASSING}`, {
    code: 'ATTACK_UNSUPPORTED',
    hint: 'Attack the model without --defend, or choose attacks on texts.',
  });

/** What a victim does not allow. */
interface Limit {
  holds(victim: OpenVictim): boolean;
  unfit(attack: PlannedAttack): boolean;
  /** Why an attack of a suite is left out. */
  readonly reason: string;
  /** The error for one that was chosen by name. */
  refused(attack: PlannedAttack): RobustError;
}

const answersNumber = ({ decision }: OpenVictim): boolean => isUnbounded(decision?.kind);

/** Reported before what the language lacks; each in this order. */
const BEFORE_LANGUAGE: readonly Limit[] = [
  // Attacks on embeddings bypass a defence that rewrites texts, so their success says nothing about it.
  {
    holds: ({ defence }) => defence !== undefined,
    unfit: ({ plugin }) => plugin.level === 'embedding',
    reason: BYPASSING,
    refused: bypassed,
  },
];

const AFTER_LANGUAGE: readonly Limit[] = [
  {
    holds: ({ dataset }) => dataset.pairs === true,
    unfit: ({ plugin }) => plugin.ownTexts === true,
    reason: OWN_TEXTS,
    refused: pairless,
  },
  {
    holds: ({ model }) => model.output?.windows !== undefined,
    unfit: needsInside,
    reason: ONE_WINDOW,
    refused: windowed,
  },
  { holds: ({ dataset }) => dataset.tagged === true, unfit: needsLabels, reason: OF_TEXTS, refused: ofTexts },
  { holds: answersNumber, unfit: needsLabels, reason: OF_LABELS, refused: labelless },
];
