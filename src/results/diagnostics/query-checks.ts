/** @file Checks that read the answers to the extra queries of the suite `standard`. */
import { type CheckFinding, type DiagnosticCheck, type DiagnosticFacts, failedIf, notApplicable } from './check.js';
import type { DiagnosticEvidence, EditedAnswers } from './evidence.js';

/** Thresholds. They were chosen on other models than those that docs/research/diagnostics.md reports. */
const LIMITS = {
  /** Texts or examples below which a check is not applicable. */
  minTexts: 8,
  minSurvivors: 2,
  /** Comparisons below which scores are not judged by what they foretell, and the least surplus of those that agree, of all. */
  minCompared: 30,
  effects: 0.35,
  paths: 0.1,
  unanswered: 0.1,
  /** Share of edited texts that got an answer of another example too. */
  shared: 0.5,
  /** Share of unedited texts with an answer of their own that `shared` needs. */
  distinct: 0.75,
  unchanged: 0.95,
  removedUnchanged: 0.5,
  foreignUnchanged: 0.5,
  ownUnchanged: 0.9,
  saturated: 0.5,
  gradients: 0.5,
  flipped: 0.25,
  minFlipped: 2,
};

const of = (part: number, all: number): string => `${part} of ${all}`;

type Judge = (evidence: DiagnosticEvidence, facts: DiagnosticFacts) => CheckFinding;

/** A check of the evidence; not applicable without extra queries. */
const queryCheck = (
  about: Pick<DiagnosticCheck, 'name' | 'title' | 'fails' | 'source'>,
  judge: Judge,
): DiagnosticCheck => ({
  ...about,
  queries: true,
  judge: (facts) =>
    facts.evidence === undefined
      ? notApplicable('extra queries are made for the suite standard only')
      : facts.evidence.missing !== undefined
        ? notApplicable(facts.evidence.missing)
        : judge(facts.evidence, facts),
});

const withGradients =
  (judge: (gradients: NonNullable<DiagnosticEvidence['gradients']>) => CheckFinding): Judge =>
  ({ gradients }) =>
    gradients === undefined ? notApplicable('the victim gives no gradients') : judge(gradients);

const gradients = queryCheck(
  {
    name: 'gradients',
    title: 'Gradients are finite, not zero, and differ between texts.',
    fails: 'any gradient is not finite, or half of them or more are zero or equal to that of another text',
    source:
      'Athalye et al. 2018, section 3 (shattered and vanishing gradients); Carlini et al. 2019, section 4.7; Pintor et al. 2022, unavailable gradients',
  },
  withGradients(({ texts, notFinite, zero, constant }) =>
    failedIf(
      notFinite > 0 || Math.max(zero, constant) >= LIMITS.gradients * texts,
      `${of(notFinite, texts)} gradients not finite, ${zero} zero, ${constant} equal to that of another text`,
    ),
  ),
);

const whiteBox = queryCheck(
  {
    name: 'white-box-stronger',
    title: 'With equal queries, steps along the gradient hurt more than random steps.',
    fails: 'random steps on the embeddings lower the score of the true label more on half of the texts or more',
    source: 'Athalye et al. 2018, section 3.1; Carlini et al. 2019, section 4.4',
  },
  withGradients(({ texts, misled, notFinite }) =>
    texts - notFinite === 0
      ? notApplicable('no gradient is finite')
      : failedIf(
          misled >= LIMITS.gradients * (texts - notFinite),
          `random steps lower the score more than gradient steps on ${of(misled, texts - notFinite)} texts`,
        ),
  ),
);

const rounded = queryCheck(
  {
    name: 'scores-fine',
    title: 'Scores are neither rounded nor gathered in a few narrow bands.',
    fails:
      'all scores are whole multiples of 1/n for an n up to 1,000, or at some distance more pairs of texts have log-odds that near than up to ten times as far apart',
    source: 'Carlini et al. 2019, section 4.4 (outputs that hide the confidence) and 4.7 (saturation)',
  },
  ({ scores: { texts, distinct, steps, saturated, bands } }) =>
    texts === 0 || saturated === texts
      ? notApplicable('the victim gives no scores between 0 and 1')
      : failedIf(
          steps > 0 || bands.apart < bands.near,
          steps > 0
            ? `the scores of ${texts} texts are all multiples of 1/${steps}`
            : `${distinct} different answers to ${texts} texts${
                bands.apart < bands.near
                  ? `; of ${bands.pairs} pairs, the log-odds of ${bands.near} are near each other and of ${bands.apart} up to ten times as far apart`
                  : ''
              }`,
        ),
);

const informative = queryCheck(
  {
    name: 'scores-inform',
    title: 'Scores tell what further edits do.',
    fails: `of ${LIMITS.minCompared} comparisons or more, those in which the score after one edit foretells the score after two surpass the others by less than ${LIMITS.effects} of all, or those in which the score is lower just before the label changes by less than ${LIMITS.paths}`,
    source: 'Carlini et al. 2019, section 4.4; Pintor et al. 2022, unavailable gradients; Tramèr et al. 2020',
  },
  ({ guidance: { effects, paths } }) => {
    const judged = [effects, paths].map(({ n, agree, disagree }) =>
      n < LIMITS.minCompared ? 1 : (agree - disagree) / n,
    );
    return Math.max(effects.n, paths.n) < LIMITS.minCompared
      ? notApplicable('too few edits change the score without changing the label')
      : failedIf(
          (judged[0] as number) < LIMITS.effects || (judged[1] as number) < LIMITS.paths,
          `the score after one edit foretells the score after two in ${of(effects.agree, effects.n)} comparisons, the opposite in ${effects.disagree}; it is lower just before the label changes in ${of(paths.agree, paths.n)}, higher in ${paths.disagree}`,
        );
  },
);

const saturated = queryCheck(
  {
    name: 'scores-unsaturated',
    title: 'Scores are not saturated: an attack can see whether it comes closer.',
    fails: 'every score is 0 or 1 in half of the answers or more',
    source: 'Carlini et al. 2019, section 4.7 (saturation); Croce and Hein 2020, scale of the logits',
  },
  ({ scores: { texts, saturated } }) =>
    texts === 0
      ? notApplicable('the victim gives no probabilities')
      : failedIf(saturated >= LIMITS.saturated * texts, `every score is 0 or 1 for ${of(saturated, texts)} texts`),
);

const sum = (edits: readonly EditedAnswers[], key: keyof EditedAnswers): number =>
  edits.reduce((total, each) => total + each[key], 0);

const answered = queryCheck(
  {
    name: 'edited-texts-answered',
    title: 'Edited texts get answers, each of its own.',
    fails:
      'the victim leaves a tenth of the edited texts or more unanswered, or gives half of those whose answer changes an answer that texts of another label got',
    source: 'Carlini et al. 2019, section 4.2 (rejected inputs); Pintor et al. 2022, implementation errors',
  },
  ({ edits, answers }) => {
    const all = [edits.own, edits.foreign];
    const [texts, unanswered] = [sum(all, 'texts'), sum(all, 'unanswered')];
    if (texts < LIMITS.minTexts) return notApplicable(`${texts} texts could be edited`);
    const comparable =
      answers.distinct >= LIMITS.distinct * answers.examples &&
      answers.edited >= Math.max(LIMITS.minTexts, 0.1 * texts);
    return failedIf(
      unanswered >= LIMITS.unanswered * texts || (comparable && answers.shared >= LIMITS.shared * answers.edited),
      `${of(unanswered, texts)} edited texts unanswered; ${of(answers.shared, answers.edited)} changed answers were given to several labels`,
    );
  },
);

const smallEdits = queryCheck(
  {
    name: 'small-edits-count',
    title: 'Small edits change the answer if larger edits of the same words do.',
    fails:
      'in passages whose removal changes the answer, 95 % or more of the edits of one letter and half or more of the removed words leave it equal to the bit',
    source:
      'Carlini et al. 2019, section 4.7 (layers that hide small changes); Tramèr et al. 2020, attack the full defence',
  },
  ({ edits: { own, foreign, removed } }) => {
    const [letters, unchanged] = [sum([own, foreign], 'texts'), sum([own, foreign], 'unchanged')];
    if (letters < LIMITS.minTexts || removed.texts < LIMITS.minTexts)
      return notApplicable('too few passages matter to the answer');
    return failedIf(
      unchanged >= LIMITS.unchanged * letters && removed.unchanged >= LIMITS.removedUnchanged * removed.texts,
      `answers unchanged by ${of(unchanged, letters)} edited letters and ${of(removed.unchanged, removed.texts)} removed words`,
    );
  },
);

const longInputs = queryCheck(
  {
    name: 'long-texts-answered',
    title: 'Longer texts get answers, each of its own.',
    fails:
      'half or more of the texts, repeated to twice the length of the longest, are unanswered or get an answer that texts of another label got',
    source: 'Carlini et al. 2019, section 4.2 (rejected inputs)',
  },
  ({ long: { texts, unanswered, shared }, answers }) =>
    texts < LIMITS.minTexts
      ? notApplicable(`${texts} texts were lengthened`)
      : failedIf(
          unanswered + (answers.distinct >= LIMITS.distinct * answers.examples ? shared : 0) >= LIMITS.shared * texts,
          `of ${texts} lengthened texts, ${unanswered} unanswered, ${shared} with an answer given to several labels`,
        ),
);

/** Survivors of standard-characters, and those of them that a kind of random rewrites flipped. */
function flippedSurvivors(
  { examples }: DiagnosticEvidence,
  survivors: ReadonlySet<string>,
  kind: 'own' | 'foreign',
): { n: number; flipped: number; queries: number } {
  const left = examples.filter(({ id, [kind]: { texts } }) => survivors.has(id) && texts > 0);
  return {
    n: left.length,
    flipped: left.filter((each) => each[kind].flipped > 0).length,
    queries: left.reduce((total, each) => total + each[kind].texts, 0),
  };
}

const tooMany = ({ n, flipped }: { n: number; flipped: number }): boolean =>
  flipped >= LIMITS.minFlipped && flipped >= LIMITS.flipped * n;

const random = queryCheck(
  {
    name: 'random-search-weaker',
    title: 'Random search does not flip what the attacks could not.',
    fails:
      'random edits of letters flip 25 % or more (and at least 2) of the examples that standard-characters did not flip',
    source: 'Athalye et al. 2018, section 3.1; Carlini et al. 2019, section 4.11',
  },
  (evidence, { survivors }) => {
    const found = flippedSurvivors(evidence, survivors, 'own');
    return found.n < LIMITS.minSurvivors
      ? notApplicable(`${found.n} queried examples survived standard-characters, expected ${LIMITS.minSurvivors}`)
      : failedIf(
          tooMany(found),
          `${found.queries} random rewrites flipped ${of(found.flipped, found.n)} examples that survived the attacks`,
        );
  },
);

const foreign = queryCheck(
  {
    name: 'unknown-edits-weaker',
    title: 'Edits that the attacks do not use flip no more examples: no defence knows just these attacks.',
    fails:
      'digits and apostrophes within the limits flip 25 % or more (and at least 2) of the examples that standard-characters did not flip, or flip any while they change answers and edited letters do not',
    source:
      'Carlini et al. 2019, section 4.3 (defences fitted to the attacks of the test); Tramèr et al. 2020, adapt the attack',
  },
  (evidence, { survivors }) => {
    const found = flippedSurvivors(evidence, survivors, 'foreign');
    if (found.n < LIMITS.minSurvivors)
      return notApplicable(`${found.n} queried examples survived standard-characters, expected ${LIMITS.minSurvivors}`);
    const { own, foreign: other } = evidence.edits;
    const undone =
      own.unchanged >= LIMITS.ownUnchanged * own.texts && other.unchanged <= LIMITS.foreignUnchanged * other.texts;
    return failedIf(
      tooMany(found) || (undone && found.flipped > 0),
      `${found.queries} rewrites flipped ${of(found.flipped, found.n)} examples that survived the attacks; answers unchanged by ${of(own.unchanged, own.texts)} edited letters and ${of(other.unchanged, other.texts)} digits and apostrophes`,
    );
  },
);

export const QUERY_CHECKS: readonly DiagnosticCheck[] = [
  whiteBox,
  random,
  gradients,
  saturated,
  rounded,
  informative,
  answered,
  smallEdits,
  longInputs,
  foreign,
];
