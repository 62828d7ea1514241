/** @file The space of rewrites of one text: it applies the constraints, counts the budget and keeps the best draft. */
import type { WhiteBox } from '../core/classifier.js';
import { Draft, wordsOf } from '../core/draft.js';
import { must } from '../core/errors.js';
import { hanKept } from '../core/han-writing.js';
import type { Language } from '../core/language.js';
import type { Random } from '../core/random.js';
import type { Constraint, Goal, Scored, SearchSpace, Transformation } from '../core/search.js';
import type { MeteredVictim } from '../core/victim.js';

/**
 * Most characters per call, so that ranking the words of a book does not hold thousands of copies. Splitting changes no result, because a
 * classifier's answer does not depend on its batch.
 */
const CALL_CHARACTERS = 1 << 22;

/** Whether `a` is better: reaching the goal precedes any score, then the score decides. Equal is not better. */
export const outranks = (a: Scored, b: Scored): boolean => (a.reached === b.reached ? a.score > b.score : a.reached);

export interface SpaceParts {
  readonly text: string;
  readonly label: number;
  readonly target: MeteredVictim;
  readonly goal: Goal;
  readonly transformation: Transformation;
  readonly constraints: readonly Constraint[];
}

const bare = (word: string): string => word.toLowerCase().replaceAll('’', "'");

/** A search space whose initial `best` is the unedited text. */
export class Space implements SearchSpace {
  readonly start: Scored;
  readonly #parts: SpaceParts;
  /** Binds every attack on texts in Han characters or kana. */
  readonly #hanKept: ((candidate: Draft) => boolean) | undefined;
  #best: Scored;
  #visited = 0;
  readonly #reached = new Set<number>();
  readonly #decisive = new Set<number>();
  /** The victim truncates the text. */
  readonly #cut: boolean;
  /** For drafts of a truncated text: slot -> does the victim read it? */
  readonly #read = new WeakMap<Draft, Uint8Array>();

  constructor(parts: SpaceParts) {
    this.#parts = parts;
    this.start = this.#scoreRow(Draft.of(parts.text), parts.target.original);
    this.#best = this.start;
    this.#hanKept = hanKept(this.start.draft);
    this.#cut = parts.target.read?.(parts.text) !== undefined;
  }

  get best(): Scored {
    return this.#best;
  }

  get done(): boolean {
    return this.#best.reached || this.#parts.target.remaining <= 0;
  }

  /** Legal drafts scored so far. */
  get visited(): number {
    return this.#visited;
  }

  /**
   * Slots that some legal draft edited, and those that were rejected only after other edits: a bound on the number of edits says nothing
   * about the word at which it stops the search.
   */
  get reached(): ReadonlySet<number> {
    return this.#reached;
  }

  /** Words of the unedited text that the victim reads. */
  get words(): number {
    const { draft } = this.start;
    return this.#cut ? this.#slotsRead(draft).reduce((sum, read) => sum + read, 0) : draft.size;
  }

  get random(): Random {
    return this.#parts.target.random;
  }

  get goal(): Goal {
    return this.#parts.goal;
  }

  get label(): number {
    return this.#parts.label;
  }

  get labels(): readonly string[] {
    return this.#parts.target.labels;
  }

  get language(): Language {
    return this.#parts.target.language;
  }

  get gradients(): WhiteBox | undefined {
    return this.#parts.target.gradients;
  }

  get pieces(): ((text: string) => readonly string[]) | undefined {
    return this.#parts.target.pieces;
  }

  editable(draft: Draft, at: readonly number[] = Array.from({ length: draft.size }, (_, slot) => slot)): number[] {
    return this.#editable(draft, at);
  }

  async neighbours(draft: Draft, at?: readonly number[]): Promise<Draft[]> {
    const slots = at === undefined ? this.editable(draft) : this.#editable(draft, at);
    if (draft !== this.start.draft) this.#excuse(draft, at, slots);
    const { transformation } = this.#parts;
    if (slots.length === 0 && !(transformation.whole && draft.size > 0)) return [];
    const allowed = new Set(slots);
    const seen = new Set([draft.text, this.start.draft.text]);
    const found: Draft[] = [];
    const keep = (candidate: Draft) => {
      if (seen.has(candidate.text) || !this.#editsOnly(allowed, candidate, draft)) return;
      seen.add(candidate.text);
      found.push(candidate);
    };
    const edits = transformation.edits(draft, slots, this.random, this);
    if (Symbol.asyncIterator in edits) for await (const candidate of edits) keep(candidate);
    else for (const candidate of edits) keep(candidate);
    return found;
  }

  async probe(drafts: readonly Draft[]): Promise<Scored[]> {
    return this.#score(drafts);
  }

  async legal(drafts: readonly Draft[]): Promise<Draft[]> {
    let legal = drafts.filter((draft) =>
      draft.sharesOriginalWith(this.start.draft) ? (this.#hanKept?.(draft) ?? true) : this.#keepsWords(draft),
    );
    for (const constraint of this.#parts.constraints) {
      if (constraint.accepts === undefined || legal.length === 0) continue;
      const accepted = await constraint.accepts(legal, this.start.draft, this.language);
      legal = legal.filter((_, at) => accepted[at]);
    }
    return legal;
  }

  async visit(drafts: readonly Draft[]): Promise<Scored[]> {
    const legal = await this.legal(drafts);
    for (const draft of legal) for (const slot of draft.edited) this.#reached.add(slot);
    const scored = await this.#score(legal);
    this.#visited += scored.length;
    const { whole } = this.#parts.transformation;
    for (const candidate of scored) {
      if (outranks(candidate, this.#best) || (whole && this.#best === this.start)) this.#best = candidate;
    }
    return scored;
  }

  settle(found: Scored): void {
    if (!found.reached) throw new RangeError('expected a draft that reaches the goal');
    this.#best = found;
  }

  survey(offered: readonly number[], decisive: readonly number[]): void {
    for (const slot of offered) this.#reached.add(slot);
    for (const slot of decisive) this.#decisive.add(slot);
  }

  /** The search found words that decide, and edited none of them. */
  get untouched(): boolean {
    return this.#decisive.size > 0 && ![...this.#decisive].some((slot) => this.#reached.has(slot));
  }

  #excuse(draft: Draft, at: readonly number[] | undefined, left: readonly number[]): void {
    const { start } = this;
    const wanted = at === undefined ? this.editable(start.draft) : this.#editable(start.draft, at);
    if (wanted.length === left.length) return;
    const free = new Set(left);
    for (const slot of wanted) if (!free.has(slot) && !draft.edited.has(slot)) this.#reached.add(slot);
  }

  /** A rewrite of the whole text has no slots, so it must contain each protected word as often as the original. */
  #keepsWords(rewrite: Draft): boolean {
    const { draft } = this.start;
    const free = new Set(this.editable(draft));
    if (free.size === draft.size) return true;
    const left = new Map<string, number>();
    for (const { text } of wordsOf(rewrite.text)) left.set(bare(text), (left.get(bare(text)) ?? 0) + 1);
    for (let slot = 0; slot < draft.size; slot++) {
      if (free.has(slot)) continue;
      const word = bare(draft.word(slot));
      const count = left.get(word) ?? 0;
      if (count === 0) return false;
      left.set(word, count - 1);
    }
    return true;
  }

  #editable(draft: Draft, slots: readonly number[]): number[] {
    const { constraints } = this.#parts;
    const read = this.#cut && draft.sharesOriginalWith(this.start.draft) ? this.#slotsRead(draft) : undefined;
    const within = read === undefined ? slots : slots.filter((slot) => read[slot] === 1);
    return within.filter((slot) =>
      constraints.every((constraint) => constraint.editable?.(draft, slot, this.language) ?? true),
    );
  }

  /** Editing a word that the victim does not read changes no answer and would waste a query. */
  #slotsRead(draft: Draft): Uint8Array {
    const known = this.#read.get(draft);
    if (known !== undefined) return known;
    const { start, end } = this.#parts.target.read?.(draft.text) ?? { start: 0, end: draft.text.length };
    const { spans } = draft;
    const read = Uint8Array.from({ length: draft.size }, (_, slot) =>
      Number(spans[2 * slot]! < end && spans[2 * slot + 1]! > start),
    );
    this.#read.set(draft, read);
    return read;
  }

  /**
   * An edit may reach beyond the given slots: merging two words edits both. An article that only adapts to the next word ("a film", "an
   * idea") is not an additional edit.
   */
  #editsOnly(slots: ReadonlySet<number>, candidate: Draft, draft: Draft): boolean {
    if (!candidate.sharesOriginalWith(draft)) return true;
    for (const slot of candidate.editedSince(draft)) {
      const agrees =
        slots.has(slot + 1) && [draft, candidate].every((each) => this.language.articles?.has(each.word(slot)));
      if (!slots.has(slot) && !agrees && this.#editable(draft, [slot]).length === 0) return false;
    }
    return true;
  }

  async #score(drafts: readonly Draft[]): Promise<Scored[]> {
    const affordable = drafts.slice(0, Math.max(0, Math.min(drafts.length, this.#parts.target.remaining)));
    const scored: Scored[] = [];
    for (let from = 0; from < affordable.length; ) {
      let to = from;
      for (let size = 0; to < affordable.length && (to === from || size < CALL_CHARACTERS); to++) {
        size += must(affordable[to]).text.length;
      }
      const call = affordable.slice(from, to);
      this.#parts.target.carry?.(call);
      const rows = await this.#parts.target.classify(call.map((draft) => draft.text));
      call.forEach((draft, at) => {
        scored.push(this.#scoreRow(draft, must(rows[at])));
      });
      from = to;
    }
    return scored;
  }

  #scoreRow(draft: Draft, probabilities: Float32Array): Scored {
    const { goal, label } = this.#parts;
    return {
      draft,
      probabilities,
      score: goal.score(probabilities, label, draft),
      reached: goal.reached(probabilities, label),
    };
  }
}
