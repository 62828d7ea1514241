/** @file Attacks on the stages of a pipeline: what evades each stage alone, combined on one text against the whole. */
import type { Example } from '../core/dataset.js';
import { wordsChanged, wordsOf } from '../core/draft.js';
import { getOrCompute } from '../core/get-or-compute.js';
import type { Attempt } from '../core/outcome.js';
import type { EvasionAttack } from '../core/plugin.js';
import type { Random } from '../core/random.js';
import { RecentMap } from '../core/recent-map.js';
import type { StagedAnswer } from '../core/stages.js';
import type { MeteredVictim } from '../core/victim.js';
import { closestAttempt } from './cascade.js';

/** A kind of edit: an attack with its options. */
export interface StagedKind {
  /** As the attack is called alone: its random stream is the same. */
  readonly name: string;
  readonly attack: EvasionAttack;
  /** Each of its queries is a rewrite: it ranks no words. */
  readonly unranked: boolean;
}

/**
 * Runs every kind against the whole pipeline until one succeeds, as each would run alone. If none does, it looks for a kind that evades each
 * stage alone, one stage after the other on the same text, so that several kinds together get past the pipeline. Where the next stage
 * blocks what the first such kind wrote, the search goes back and takes up what another wrote.
 *
 * A text that the leading normalisers turn into a text whose answer is known costs no query. What this saves compared with all kinds run
 * alone is the budget of the combinations: the attack never costs more queries than all kinds together. On a victim whose stages cannot be
 * observed, only the kinds run.
 *
 * `details.kinds` names the kinds of a success, `details.blockedBy` the stage that no kind evaded; `evades` lists what evades each stage.
 */
export function staged(kinds: readonly StagedKind[]): EvasionAttack {
  const language = [...new Set(kinds.flatMap(({ attack }) => attack.language ?? []))];
  return {
    constraints: ['those of each kind of edit', `kinds: ${kinds.map(({ name }) => name).join(', ')}`],
    ...(language.length > 0 && { language }),
    async prepare(sample, victim) {
      for (const { name, attack } of kinds) {
        const random = victim.randomOf?.(name) ?? victim.random.split(name);
        await attack.prepare?.(sample, { ...victim, random });
      }
    },
    async run(example, target) {
      const search = new StagedSearch(example, target);
      const attempt = (await search.alone(kinds)) ?? (await search.combined(kinds));
      return search.evades.length > 0 ? { ...attempt, evades: search.evades } : attempt;
    },
  };
}

/** Rewrites past one stage that are taken up in turn. */
const BRANCHES = 4;
/** Bounds on the answers that are remembered for one example. */
const REMEMBERED = { entries: 10_000, characters: 1 << 22 };

class StagedSearch {
  /** "stage: kind" for each stage that a rewrite by one kind evades. */
  evades: readonly string[] = [];
  readonly #example: Example;
  readonly #target: MeteredVictim;
  readonly #known = new RecentMap<StagedAnswer>(REMEMBERED.entries, REMEMBERED.characters);
  readonly #attempts: Attempt[] = [];
  /** Stages that flag the original. */
  #caught: readonly number[] = [];
  /** Stage -> kinds of which a query evades it. A text that only ranks words is no rewrite, so this is a hint. */
  readonly #hints = new Map<number, Set<StagedKind>>();
  /** Queries of the kinds run alone, and of this search. */
  #due = 0;
  #spent = 1;
  #combining = false;

  constructor(example: Example, target: MeteredVictim) {
    this.#example = example;
    this.#target = target;
    if (target.stages === undefined)
      this.#known.set(example.text, { row: target.original, scores: new Float32Array() });
  }

  /** The first success of a kind against the whole pipeline. */
  async alone(kinds: readonly StagedKind[]): Promise<Attempt | undefined> {
    const [original] = await this.#ask([this.#example.text]);
    this.#caught = this.#flagging(original!);
    for (const kind of kinds) {
      this.#due++;
      const rowOf = (answer: StagedAnswer) => {
        this.#hint(kind, answer);
        return answer.row;
      };
      const view = this.#view(rowOf, this.#target.original, this.#randomOf(kind));
      const attempt = await kind.attack.run(this.#example, view);
      this.#attempts.push(attempt);
      await this.#note(kind, attempt);
      if (attempt.succeeded) return { ...attempt, details: { kinds: kind.name } };
      if (this.#remaining <= 0) break;
    }
    return undefined;
  }

  /** Several kinds on one text: the first for the first stage, the next for what still flags it; then in the reverse order of the stages. */
  async combined(kinds: readonly StagedKind[]): Promise<Attempt> {
    this.#combining = true;
    const { text } = this.#example;
    const { stages } = this.#target;
    const flagging = this.#caught;
    let blockedBy: string | undefined;
    for (const order of flagging.length > 1 ? [flagging, flagging.toReversed()] : []) {
      const found = await this.#stack(kinds, order, text);
      if ('text' in found) {
        return {
          succeeded: true,
          text: found.text,
          probabilities: (await this.#ask([found.text]))[0]!.row,
          words: wordsOf(text).length,
          changed: Math.min(wordsOf(text).length, wordsChanged(text, found.text)),
          details: { kinds: found.kinds.join(' + ') },
        };
      }
      blockedBy ??= stages?.names[found.blockedBy];
    }
    const closest = closestAttempt(this.#attempts, (row) => this.#target.goal.score(row, this.#example.label))!;
    return blockedBy === undefined ? closest : { ...closest, details: { blockedBy } };
  }

  /** Depth first: past the stages of `order` from `from` on, given a text past those before it. */
  async #stack(
    kinds: readonly StagedKind[],
    order: readonly number[],
    text: string,
    from = 0,
    used: readonly string[] = [],
  ): Promise<{ text: string; kinds: readonly string[] } | { blockedBy: number }> {
    const [now] = await this.#ask([text]);
    const flagging = this.#flagging(now!);
    const at = order.findIndex((each, index) => index >= from && flagging.includes(each));
    if (at < 0) return { blockedBy: order.at(-1)! };
    let blockedBy = order[at]!;
    let taken = 0;
    for await (const next of this.#past(kinds, order.slice(0, at + 1), text, used)) {
      const names = [...used, next.kind.name];
      const [after] = await this.#ask([next.text]);
      if (this.#target.goal.reached(after!.row, this.#example.label)) return { text: next.text, kinds: names };
      const deeper = await this.#stack(kinds, order, next.text, at + 1, names);
      if ('text' in deeper) return deeper;
      ({ blockedBy } = deeper);
      if (++taken === BRANCHES) break;
    }
    return { blockedBy };
  }

  /** The random stream of a kind that runs alone: with it, a kind repeats its queries, whose answers are known. */
  #randomOf({ name }: StagedKind): Random {
    return this.#target.randomOf?.(name) ?? this.#target.random.split(name);
  }

  #hint(kind: StagedKind, answer: StagedAnswer): void {
    if (kind.unranked) {
      this.#evaded(kind, answer);
      return;
    }
    const still = this.#flagging(answer);
    for (const at of answer.scores.keys())
      if (!still.includes(at)) getOrCompute(this.#hints, at, () => new Set<StagedKind>()).add(kind);
  }

  /** Kinds that are likely to evade a stage first. */
  #ranked(kinds: readonly StagedKind[], stage: number): StagedKind[] {
    const name = this.#target.stages?.names[stage];
    const hinted = this.#hints.get(stage);
    const rank = (kind: StagedKind): number => {
      if (this.evades.includes(`${name}: ${kind.name}`)) return 0;
      return hinted?.has(kind) ? 1 : 2;
    };
    return kinds.toSorted((a, b) => rank(a) - rank(b));
  }

  /** The rewrites of a text by each kind that evades all these stages. */
  async *#past(
    kinds: readonly StagedKind[],
    stages: readonly number[],
    text: string,
    used: readonly string[],
  ): AsyncGenerator<{ kind: StagedKind; text: string }> {
    for (const kind of this.#ranked(kinds, stages.at(-1)!)) {
      if (this.#remaining <= 0) return;
      const rowOf = ({ scores }: StagedAnswer) => {
        const score = Math.max(...stages.map((at) => scores[at]!));
        return Float32Array.of(1 - score, score);
      };
      const [now] = await this.#ask([text]);
      const random =
        used.length === 0 ? this.#randomOf(kind) : this.#target.random.split([...used, kind.name].join(' + '));
      const view = this.#view(rowOf, rowOf(now!), random);
      const attempt = await kind.attack.run({ ...this.#example, text }, view).catch(unlessSpent);
      if (attempt === undefined) return;
      if (used.length === 0) await this.#note(kind, attempt);
      if (attempt.succeeded && attempt.text !== undefined) yield { kind, text: attempt.text };
    }
  }

  /** Records the stages that a rewrite of the original evades. */
  async #note(kind: StagedKind, { text }: Attempt): Promise<void> {
    if (text === undefined || text === this.#example.text || !this.#isKnown(text)) return;
    this.#evaded(kind, (await this.#ask([text]))[0]!);
  }

  #evaded(kind: StagedKind, answer: StagedAnswer): void {
    const { stages } = this.#target;
    const still = this.#flagging(answer);
    const found = this.#caught.flatMap((at) => (still.includes(at) ? [] : [`${stages?.names[at]}: ${kind.name}`]));
    this.evades = [...new Set([...this.evades, ...found])];
  }

  #flagging({ scores }: StagedAnswer): number[] {
    const { threshold = 0.5 } = this.#target.stages ?? {};
    return Array.from(scores).flatMap((score, at) => (score >= threshold ? [at] : []));
  }

  get #remaining(): number {
    const { remaining } = this.#target;
    return this.#combining ? Math.min(remaining, this.#due - this.#spent) : remaining;
  }

  /** The victim whose row for a text is a function of the answers of all stages. */
  #view(rowOf: (answer: StagedAnswer) => Float32Array, original: Float32Array, random: Random): MeteredVictim {
    const { classifyDistinct: _, ...target } = this.#target;
    const remaining = () => this.#remaining;
    return {
      ...target,
      original,
      random,
      get remaining() {
        return remaining();
      },
      classify: async (texts) => {
        if (!this.#combining) this.#due += texts.length;
        return (await this.#ask(texts)).map(rowOf);
      },
    };
  }

  #key(text: string): string {
    return this.#target.stages?.normalised(text) ?? text;
  }

  #isKnown(text: string): boolean {
    return this.#known.get(this.#key(text)) !== undefined;
  }

  /** Answers to texts; only those whose normalised form is new are queries. Throws RangeError beyond the budget. */
  async #ask(texts: readonly string[]): Promise<StagedAnswer[]> {
    const keys = texts.map((text) => this.#key(text));
    const answers = new Map<string, StagedAnswer>();
    const fresh = new Map<string, string>();
    for (const [at, key] of keys.entries()) {
      const known = this.#known.get(key);
      if (known === undefined) fresh.set(key, texts[at]!);
      else answers.set(key, known);
    }
    const asked = await this.#query([...fresh.values()]);
    for (const [at, key] of [...fresh.keys()].entries()) {
      answers.set(key, asked[at]!);
      this.#known.set(key, asked[at]!);
    }
    return keys.map((key) => answers.get(key)!);
  }

  async #query(texts: readonly string[]): Promise<readonly StagedAnswer[]> {
    const { stages } = this.#target;
    if (texts.length === 0) return [];
    // The query of the unedited text is counted already.
    const { length } = texts.filter((text) => text !== this.#example.text);
    if (length > this.#remaining) throw new RangeError('expected texts within the query budget');
    this.#spent += length;
    if (stages !== undefined) return stages.answers(texts);
    return (await this.#target.classify(texts)).map((row) => ({ row, scores: new Float32Array() }));
  }
}

/** An attack that does not look at what remains of the budget has ended. */
function unlessSpent(error: unknown): undefined {
  if (!(error instanceof RangeError)) throw error;
}
