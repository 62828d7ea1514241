/** @file Checks that read the outcomes of a run and make no queries. */
import { mcnemarExact } from '../../core/statistics/paired.js';
import { type ComparedAttacks, type DiagnosticCheck, type DiagnosticFacts, failedIf, notApplicable } from './check.js';

/** Highest acceptable share of attacked examples that end in a tie, or of failures without a single try or with a spent budget. */
const MAX_TIED = 0.1;
const MAX_SPENT = 0.1;
const MAX_UNTRIED = 1 / 3;
/** Fewer examples decide nothing, nor do fewer of them that speak against the attack. */
const MIN_EXAMPLES = 5;
const MIN_COUNT = 3;
/** Level of paired tests. */
const LEVEL = 0.05;
/** Differences of repeated scores up to here are rounding errors of other hardware. */
const MAX_DIFFERENCE = 0.001;

/** Attacks with enough examples, the highest share first. */
const shares = ({ attacks }: DiagnosticFacts, countOf: (name: string, tied: number) => number) =>
  attacks
    .map(({ name, succeeded, failed, tied }) => ({ name, count: countOf(name, tied ?? 0), n: succeeded + failed }))
    .filter(({ n }) => n >= MIN_EXAMPLES)
    .sort((a, b) => b.count / b.n - a.count / a.n);

const isMany = ({ count, n }: { count: number; n: number }, share: number): boolean =>
  count >= MIN_COUNT && count > share * n;

const noExamples = notApplicable(`no attack was carried out on ${MIN_EXAMPLES} examples`);

const ties: DiagnosticCheck = {
  name: 'ties',
  title: 'Few attacks end in a tie.',
  fails: `more than ${100 * MAX_TIED} % of the attacked examples end in a tie, and at least ${MIN_COUNT}`,
  source: 'Pintor et al. 2022, indicators of failure: an attack that stops at the boundary fails silently',
  queries: false,
  judge(facts) {
    const [most] = shares(facts, (_, tied) => tied);
    return most === undefined
      ? noExamples
      : failedIf(isMany(most, MAX_TIED), `${most.name}: ${most.count} of ${most.n} examples end in a tie`);
  },
};

const budgetSpent: DiagnosticCheck = {
  name: 'budget-spent',
  title: 'More queries would not find more: few failed attacks used up their query budget.',
  fails: `more than ${100 * MAX_SPENT} % of the attacked examples failed with their query budget spent, and at least ${MIN_COUNT}`,
  source: 'Carlini et al. 2019, section 4.8; Pintor et al. 2022, incomplete optimisation',
  queries: false,
  judge(facts) {
    if (facts.queryBudget === undefined) return notApplicable('attacks had no query budget');
    const [most] = shares(facts, (name) => facts.failures.get(name)?.spent ?? 0);
    if (most === undefined) return noExamples;
    return failedIf(
      isMany(most, MAX_SPENT),
      `${most.name}: ${most.count} of ${most.n} examples spent the budget of ${facts.queryBudget} queries and did not flip`,
    );
  },
};

/** Which words have an admissible edit is a fact of the texts: an attack that finds none is not applicable, and says nothing of the victim. */
const wordsTried: DiagnosticCheck = {
  name: 'words-tried',
  title: 'Some attack can edit the texts.',
  fails: `every attack could edit almost nothing in more than a third of the attacked examples, and at least ${MIN_COUNT}`,
  source: 'Carlini et al. 2019, section 4.3; Croce et al. 2022, attacks that cannot reach the defence',
  queries: false,
  judge(facts) {
    const untried = shares(facts, (name) => facts.failures.get(name)?.untried ?? 0);
    const least = untried.at(-1);
    if (least === undefined) return noExamples;
    const without = untried.filter((each) => isMany(each, MAX_UNTRIED)).map(({ name }) => name);
    return failedIf(
      without.length === untried.length,
      `${least.name}: nothing or almost nothing to edit in ${least.count} of ${least.n} examples${
        without.length > 0 ? `; not applicable to these texts: ${without.join(', ')}` : ''
      }`,
    );
  },
};

const limits: DiagnosticCheck = {
  name: 'limits-monotone',
  title: 'A higher limit of edits does not flip fewer examples.',
  fails: 'an attack flips significantly fewer examples with a higher limit (exact McNemar test, 5 %, Bonferroni)',
  source: 'Carlini et al. 2019, section 5.2; Athalye et al. 2018, section 3.1',
  queries: false,
  judge({ compared }) {
    const byChance = ({ counts: { onlyA, onlyB } }: ComparedAttacks) =>
      onlyA > onlyB ? mcnemarExact(onlyA, onlyB) : 1;
    const [worst] = compared.toSorted((x, y) => byChance(x) - byChance(y));
    if (worst === undefined) return notApplicable('no attack of the run has two limits');
    const { a, b, counts } = worst;
    const evidence = `${counts.onlyA} examples only by ${a}, ${counts.onlyB} only by ${b}`;
    return failedIf(byChance(worst) < LEVEL / compared.length, evidence);
  },
};

const repeatable: DiagnosticCheck = {
  name: 'answers-repeat',
  title: 'The same text gets the same answer, in any order and company.',
  fails: `a decision changes, or a score differs by more than ${MAX_DIFFERENCE}, when texts are queried again`,
  source:
    'Athalye et al. 2018, section 3 (stochastic gradients); Carlini et al. 2019, section 4.6; Croce et al. 2022, randomness',
  queries: false,
  judge({ clean: { repeatability }, evidence }) {
    const { repeats } = evidence ?? {};
    if (repeats === undefined && repeatability === undefined)
      return notApplicable("the model's files fix its answers, or no varying answer was seen");
    const { changed, difference } = {
      changed: Math.max(repeats?.changed ?? 0, repeatability?.changed ?? 0),
      difference: Math.max(repeats?.difference ?? 0, repeatability?.difference ?? 0),
    };
    const texts = Math.max(repeats?.texts ?? 0, repeatability?.asked ?? 0);
    return failedIf(
      changed > 0 || difference > MAX_DIFFERENCE,
      `queried again, ${changed} of ${texts} texts were decided differently; scores differ by up to ${difference.toPrecision(2)}`,
    );
  },
};

export const OUTCOME_CHECKS: readonly DiagnosticCheck[] = [limits, budgetSpent, wordsTried, ties, repeatable];
