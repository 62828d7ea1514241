/** @file Folds the outcomes of a run into the facts that diagnostic checks judge. */
import { type Outcome, spentBudget, wasAttacked } from '../../core/outcome.js';
import type { PairedCounts } from '../../core/statistics/paired.js';
import { outOfReach } from '../measures/reach.js';
import { untriedReason } from '../measures/untried.js';
import type { ComparedAttacks, DiagnosticFacts } from './check.js';
import type { DiagnosticEvidence } from './evidence.js';

const STANDARD_CHARACTERS = 'standard-characters';

interface FoldedAttack {
  readonly name: string;
  readonly options: Readonly<Record<string, unknown>>;
}

type ComparedPair = Pick<ComparedAttacks, 'a' | 'b'>;

/** Folds outcomes in any order. */
export class DiagnosticFold {
  readonly #queryBudget: number | undefined;
  readonly #evidence: DiagnosticEvidence | undefined;
  readonly #failures = new Map<string, { spent: number; untried: number }>();
  readonly #pairs: readonly ComparedPair[];
  /** Compared attack -> index of each attacked example -> whether it flipped. */
  readonly #flipped: ReadonlyMap<string, Map<number, boolean>>;
  readonly #queried: ReadonlySet<string>;
  readonly #survivors = new Set<string>();

  constructor(
    attacks: readonly FoldedAttack[],
    evidence: DiagnosticEvidence | undefined,
    queryBudget: number | undefined,
  ) {
    this.#evidence = evidence;
    this.#queryBudget = queryBudget;
    this.#pairs = comparedPairs(attacks);
    this.#flipped = new Map(this.#pairs.flatMap(({ a, b }) => [a, b]).map((name) => [name, new Map()]));
    this.#queried = new Set(evidence?.examples.map(({ id }) => id));
  }

  /** `index`: the example's position in the run. */
  add(outcome: Outcome, index: number): void {
    const { attack, id, status } = outcome;
    if (!wasAttacked(status)) return;
    this.#flipped.get(attack)?.set(index, status === 'succeeded');
    if (status === 'succeeded') return;
    if (attack === STANDARD_CHARACTERS && this.#queried.has(id)) this.#survivors.add(id);
    const failures = this.#failures.get(attack) ?? { spent: 0, untried: 0 };
    this.#failures.set(attack, failures);
    if (spentBudget(outcome, this.#queryBudget)) failures.spent++;
    else if (untriedReason(outcome) !== undefined || outOfReach(outcome)) failures.untried++;
  }

  facts(): Pick<DiagnosticFacts, 'failures' | 'queryBudget' | 'compared' | 'evidence' | 'survivors'> {
    return {
      failures: this.#failures,
      queryBudget: this.#queryBudget,
      compared: this.#pairs.map((pair) => ({ ...pair, counts: this.#countsOf(pair) })),
      evidence: this.#evidence,
      survivors: this.#survivors,
    };
  }

  #countsOf({ a, b }: ComparedPair): PairedCounts {
    const [inA, inB] = [a, b].map((name) => this.#flipped.get(name) ?? new Map<number, boolean>());
    const counts = { both: 0, onlyA: 0, onlyB: 0, neither: 0 };
    for (const [index, byA] of inA!) {
      const byB = inB?.get(index);
      if (byB === undefined) continue;
      counts[byA ? (byB ? 'both' : 'onlyA') : byB ? 'onlyB' : 'neither']++;
    }
    return counts;
  }
}

/** Attacks that differ in one limit, the lower limit first. */
const comparedPairs = (attacks: readonly FoldedAttack[]): ComparedPair[] =>
  attacks.flatMap((a) => attacks.filter((b) => isLower(a, b)).map((b) => ({ a: a.name, b: b.name })));

const pluginOf = ({ name }: FoldedAttack): string | undefined => name.split(':')[0];

/** Whether `a` is the attack `b` with one lower limit, such as `maxEdits`. */
function isLower(a: FoldedAttack, b: FoldedAttack): boolean {
  if (a === b || pluginOf(a) !== pluginOf(b)) return false;
  const keys = Object.keys({ ...a.options, ...b.options });
  const different = keys.filter((key) => a.options[key] !== b.options[key]);
  const [key = ''] = different;
  const [lower, higher] = [a.options[key], b.options[key]];
  return different.length === 1 && /^max[A-Z]/.test(key) && Number(lower) < Number(higher);
}
