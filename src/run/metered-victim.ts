/**
 * @file The victim as one search sees it: counted, budgeted and stoppable.
 *
 * `asked` counts every text the search had scored, the unedited one included, repeats included: what the literature
 * reports. `computed` counts the distinct texts among them, within this search alone. It is not the number of texts the
 * shared cache let through: that depends on which searches ran before and at the same time, and could not be the same
 * in two equal runs. Where several attacks ask the same text of the same example, the victim runs it less often.
 */
import type { Classifier, WhiteBox } from '../core/classifier.js';
import type { Example } from '../core/dataset.js';
import { defined } from '../core/defined.js';
import { ModelGone } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import type { Queries } from '../core/outcome.js';
import { otherText } from '../core/pair.js';
import { whiteBoxOfPair } from '../core/pair-victim.js';
import { IdleTimer } from '../core/patience.js';
import { random } from '../core/random.js';
import { isRefusal } from '../core/refusal.js';
import type { Constraint, Goal } from '../core/search.js';
import {
  keepEntities,
  type SearchQueries,
  searchQueries,
  type Touch,
  type WordRecognition,
} from '../core/tags/carried.js';
import { Passing } from '../core/user-code.js';
import type { MeteredVictim, Victim } from '../core/victim.js';
import type { EvasionPlugin } from '../results/attack-plugin.js';
import { type AttackPair, bindingConstraints, decisionOfPlan, type PlannedAttack, type RunPlan } from './plan.js';

/** Thrown into a search whose outcome is no longer wanted. Never leaves the room. */
export class SearchCancelled extends Passing {}

/**
 * Holds the searches under way, so that all of them can be ended: one entry a search, where an AbortSignal would
 * take a listener for every text.
 */
export class RunningSearches {
  ended = false;
  readonly #held = new Set<QueryMeter>();

  hold(search: QueryMeter): void {
    this.#held.add(search);
  }

  release(search: QueryMeter): void {
    this.#held.delete(search);
  }

  end(): void {
    this.ended = true;
    for (const search of this.#held) search.cancel();
  }
}

/** Counts and limits what one search asks. */
export class QueryMeter {
  asked = 1; // the unedited text
  /** The search was ended: its outcome must not be kept, even if it swallowed the error. */
  cancelled = false;
  /** The error that took the victim down during a query of this search: its outcome is unknown, even if it swallowed the error. */
  gone: ModelGone | undefined;
  /** Texts that the victim would not answer. */
  refused = 0;
  /** The search wanted more than its budget. */
  overspent = false;
  readonly #texts: Set<string>;
  readonly #budget: number;
  readonly #allows: (queries: number) => boolean;
  readonly idle = new IdleTimer();
  /** Runs of the model that no text could repeat: gradients, answers to embeddings, texts known to be distinct. */
  #others = 0;
  readonly #waiting = new Set<(reason: SearchCancelled) => void>();

  /** `budget`: queries of the search. `allows`: whether the run's budget allows this total number of queries. */
  constructor(text: string, budget: number, allows: (queries: number) => boolean = () => true) {
    this.#texts = new Set([text]);
    this.#budget = budget;
    this.#allows = allows;
  }

  get remaining(): number {
    return this.#budget - this.asked;
  }

  get queries(): Queries {
    return { asked: this.asked, computed: this.#texts.size + this.#others };
  }

  /** Has `texts` answered by `work`. Throws RangeError beyond the budget, SearchCancelled once the run ends. */
  async texts<T>(texts: readonly string[], work: () => Promise<T>): Promise<T> {
    this.#charge(texts.length);
    for (const text of texts) this.#texts.add(text);
    return this.#await(work());
  }

  /** As `texts`, for `count` runs that no text could repeat. */
  async others<T>(count: number, work: () => Promise<T>): Promise<T> {
    this.#charge(count);
    this.#others += count;
    return this.#await(work());
  }

  /** Ends the search at the answer it waits for, or else at its next question. */
  cancel(): void {
    this.cancelled = true;
    for (const reject of this.#waiting) reject(new SearchCancelled('the run has ended'));
  }

  #charge(count: number): void {
    if (!this.#allows(this.asked + count)) this.cancel();
    if (this.cancelled) throw new SearchCancelled('the run has ended');
    if (count > this.remaining) {
      this.overspent = true;
      throw new RangeError(
        `expected at most ${quantity(this.remaining, 'text')} within the query budget, got ${count}`,
      );
    }
    this.asked += count;
  }

  /** The answer, unless the run ends first: a stopped run does not wait for a slow model. */
  #await<T>(answer: Promise<T>): Promise<T> {
    return this.idle.during(
      new Promise((resolve, reject) => {
        this.#waiting.add(reject);
        answer
          .catch((error: unknown) => {
            if (error instanceof ModelGone) this.gone ??= error;
            throw error;
          })
          .then(resolve, reject)
          .finally(() => this.#waiting.delete(reject));
      }),
    );
  }
}

/** The promise's result, or SearchCancelled as soon as the signal is aborted. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const stop = () => reject(new SearchCancelled('the run has ended'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/**
 * The target of one (attack, example) pair; `before` is the answer to its text, `goal` the run's as it is for this example; `answering`
 * answers the search's texts, in the form of `queries`.
 */
export function meteredVictim(
  plan: RunPlan,
  { attack, example, before, decision, goal }: AttackPair & { readonly goal: Goal },
  meter: QueryMeter,
  answering: Pick<Classifier, 'classify'> = plan.model.classifier,
  { queryOf, carry }: SearchQueries = searchQueries(example),
): MeteredVictim {
  const { classifier, gradients, labelsOnly, pieces, read, votes } = plan.model;
  const alone = otherText(example) === undefined;
  return withMeter(meter, {
    labels: classifier.labels,
    classify: async (texts) => {
      const rows = await answering.classify(texts.map(queryOf));
      // A refusal is no answer that an attack could be after: it moves nothing.
      return rows.map((row) => {
        if (!isRefusal(row)) return row;
        meter.refused++;
        return before;
      });
    },
    original: before,
    goal,
    ...defined({ decision, labelsOnly, pieces }),
    language: plan.language,
    constraints: constraintsOn(plan, attack, example),
    ...defined({ carry }),
    random: random(plan.seed, attack, example.id),
    randomOf: (other) => random(plan.seed, other, example.id),
    // The texts of a pair are cut together.
    ...(read && alone && { read }),
    ...(votes && alone && { votes }),
    // Also for attacks that only rank words by gradients.
    ...(gradients === undefined ? {} : { gradients: meteredGradients(whiteBoxOfPair(gradients, example), meter) }),
  });
}

/** Limits edits of the entities of an example: edits of letters leave them readable anywhere, other words would make other entities. */
export const entityConstraints = (
  example: Pick<Example, 'entities' | 'entity'>,
  touch: Touch | undefined,
  plugin: Pick<EvasionPlugin, 'level' | 'otherEntities'> | undefined,
  recognises?: WordRecognition,
): readonly Constraint[] => {
  if (example.entities === undefined) return [];
  const touched = touch ?? (plugin?.level === 'character' ? 'both' : 'context');
  return [keepEntities(example, touched, plugin?.otherEntities ? undefined : recognises)];
};

/** The constraints of the run that bind an attack, and what it may do to the entities of an example. */
function constraintsOn(plan: RunPlan, attack: string, example: Example): readonly Constraint[] {
  const planned = plan.attacks.find(({ label }) => label === attack);
  const binding = bindingConstraints(plan.constraints, planned?.options);
  return [...binding, ...entityConstraints(example, plan.touch, planned?.plugin, plan.recognises)];
}

/** The victim whose answers to texts are counted and limited. */
export const withMeter = (meter: QueryMeter, victim: Omit<MeteredVictim, 'remaining'>): MeteredVictim => ({
  ...victim,
  get remaining() {
    return meter.remaining;
  },
  classify: meteredAnswers(victim, meter),
  classifyDistinct: async (texts) =>
    texts.length === 0 ? [] : meter.others(texts.length, () => victim.classify(texts)),
});

const meteredAnswers =
  (classifier: Classifier, meter: QueryMeter): Classifier['classify'] =>
  async (texts) =>
    texts.length === 0 ? [] : meter.texts(texts, () => classifier.classify(texts));

/** A gradient is a run of the model, and counts as one query. */
function meteredGradients(model: WhiteBox, meter: QueryMeter): WhiteBox {
  return {
    labels: model.labels,
    hidden: model.hidden,
    loss: model.loss,
    classify: meteredAnswers(model, meter),
    gradient: (text, label) => meter.others(1, () => model.gradient(text, label)),
    classifyEmbeddings: (batch, tokens) => meter.others(batch.length, () => model.classifyEmbeddings(batch, tokens)),
    gradientAt: (at, tokens, label) => meter.others(1, () => model.gradientAt(at, tokens, label)),
    embeddingTable: () => model.embeddingTable(),
    ...(model.tableProducts && { tableProducts: model.tableProducts.bind(model) }),
    tokenText: (id) => model.tokenText(id),
  };
}

/** The victim as an attack sees it before it begins: queries are not counted, since learning serves every example. They pause `idle`. */
export function victimOf(
  plan: RunPlan,
  { label, fillMask }: PlannedAttack,
  idle: IdleTimer,
  warn: (message: string) => void,
): Victim {
  const { classifier, gradients } = plan.model;
  return {
    labels: classifier.labels,
    classify: (texts) => idle.during(classifier.classify(texts)),
    goal: plan.goal,
    decision: decisionOfPlan(plan),
    language: plan.language,
    random: random(plan.seed, label),
    warn,
    gradients,
    fillMask,
  };
}
