/**
 * @file The exhaustive check of one text: every text of its space is sent to the victim, those that are likely to change the prediction
 * first, until one does or none is left. Texts are generated as they are sent, so memory does not grow with the space.
 */
import { applyEdits, type TextEdit } from '../core/text-edit.js';
import { type EditPlace, pairsOf } from './edits.js';

/** An edited text and what made it. */
export interface EditedText {
  readonly text: string;
  /** Ascending. */
  readonly edits: readonly TextEdit[];
}

/** The victim's answer to a candidate. */
interface CandidateAnswer {
  readonly row: Float32Array;
  /** Progress towards another prediction, higher is closer. */
  readonly score: number;
  readonly broken: boolean;
  /** No label leads: neither a changed prediction nor the same one. */
  readonly tied: boolean;
}

/** The victim as the check needs it. */
export interface CheckedVictim {
  /** Texts that may still be sent. */
  readonly remaining: number;
  /** Keeps the candidates that the constraints of the run allow. */
  allowed(candidates: readonly EditedText[]): Promise<readonly EditedText[]>;
  answers(texts: readonly string[]): Promise<readonly CandidateAnswer[]>;
}

export interface CheckTerms {
  /** Most edits in one text; 0 for any number, with `perPlace`. */
  readonly edits: 0 | 1 | 2;
  /** Several edits of a text are of different places. */
  readonly perPlace: boolean;
}

export interface SpaceCheck {
  /** Texts that were sent. */
  readonly texts: number;
  /** Every text of the space was sent. */
  readonly finished: boolean;
  /** The text that changes the prediction, else one that ties it, else the one that comes closest; undefined if the space is empty. */
  readonly found?: (EditedText & CandidateAnswer) | undefined;
}

/** Edits of each place that are sent before the places are ranked. */
const TESTS = 2;
/** Texts in the first batch and in later ones: the first is small because some texts break at once. */
const FIRST_BATCH = 64;
const LARGEST_BATCH = 256;
/** Characters in a batch, which bounds the memory that long texts take. */
const BATCH_CHARACTERS = 1 << 20;

interface PlaceState {
  readonly place: EditPlace;
  /** The highest score of its edits so far. */
  best: number;
}

export async function checkSpace(
  text: string,
  places: Iterable<EditPlace>,
  victim: CheckedVictim,
  terms: CheckTerms,
): Promise<SpaceCheck> {
  const check = new Check(victim);
  const states: PlaceState[] = [];
  const singles: SingleEdit[] = [];
  const keep = (edit: TextEdit, score: number, place: PlaceState): void => {
    if (terms.edits !== 1) singles.push({ edit, score, place });
  };
  await check.send(singleEdits(text, testsOf(places, states), keep));
  states.sort((a, b) => b.best - a.best);
  await check.send(singleEdits(text, restOf(states), keep));
  singles.sort((a, b) => b.score - a.score);
  if (terms.perPlace && terms.edits !== 1) await check.send(combinedEdits(text, singles, terms.edits));
  else if (terms.edits === 2) {
    await check.send(
      pairedEdits(
        text,
        singles.map(({ edit }) => edit),
      ),
    );
  }
  return check.result();
}

/** An edit that was sent alone. */
interface SingleEdit {
  readonly edit: TextEdit;
  readonly score: number;
  readonly place: PlaceState;
}

interface SentText extends EditedText {
  answered?(answer: CandidateAnswer): void;
}

function* testsOf(places: Iterable<EditPlace>, states: PlaceState[]): Generator<[PlaceState, TextEdit]> {
  for (const place of places) {
    const state = { place, best: Number.NEGATIVE_INFINITY };
    states.push(state);
    let at = 0;
    for (const edit of place.edits()) {
      if (at++ === TESTS) break;
      yield [state, edit];
    }
  }
}

function* restOf(states: readonly PlaceState[]): Generator<[PlaceState, TextEdit]> {
  for (const state of states) {
    let at = 0;
    for (const edit of state.place.edits()) if (at++ >= TESTS) yield [state, edit];
  }
}

function* singleEdits(
  text: string,
  edits: Iterable<[PlaceState, TextEdit]>,
  keep: (edit: TextEdit, score: number, place: PlaceState) => void,
): Generator<SentText> {
  for (const [state, edit] of edits) {
    yield {
      text: applyEdits(text, [edit]),
      edits: [edit],
      answered({ score }) {
        state.best = Math.max(state.best, score);
        keep(edit, score, state);
      },
    };
  }
}

/** All pairs of edits that do not overlap, of `edits` in descending order of their scores: pairs of high scores come first. */
function* pairedEdits(text: string, edits: readonly TextEdit[]): Generator<SentText> {
  for (const [at, second] of edits.entries()) {
    const texts = new Set<string>();
    for (const first of edits.slice(0, at)) {
      for (const pair of pairsOf(first, second)) {
        const edited = applyEdits(text, pair);
        if (edited === text || texts.has(edited)) continue;
        texts.add(edited);
        yield { text: edited, edits: pair };
      }
    }
  }
}

/**
 * All texts with edits of several places that do not overlap, at most `most` of them, or any number for 0. `singles` are in descending order
 * of their scores, so that the combination of each place's best edit comes early.
 */
function* combinedEdits(text: string, singles: readonly SingleEdit[], most: 0 | 2): Generator<SentText> {
  const places = new Map<PlaceState, SingleEdit[]>();
  for (const single of singles) places.set(single.place, [...(places.get(single.place) ?? []), single]);
  const byPlace = [...places.values()];
  const sent = new Set<string>();
  for (const chosen of choicesOf(byPlace, most === 0 ? byPlace.length : most)) {
    const edits = chosen.toSorted((a, b) => a.start - b.start || a.end - b.end);
    if (edits.length < 2 || edits.some(({ start }, at) => at > 0 && start < (edits[at - 1] as TextEdit).end)) continue;
    const edited = applyEdits(text, edits);
    if (edited === text || (most !== 0 && sent.has(edited))) continue;
    if (most !== 0) sent.add(edited);
    yield { text: edited, edits };
  }
}

/** The ways to choose at most `most` edits, each of another place. */
function* choicesOf(places: readonly (readonly SingleEdit[])[], most: number): Generator<TextEdit[]> {
  const [first, ...rest] = places;
  if (first === undefined || most === 0) {
    yield [];
    return;
  }
  for (const { edit } of first) for (const others of choicesOf(rest, most - 1)) yield [edit, ...others];
  yield* choicesOf(rest, most);
}

/** The state of one check: texts sent, the best text so far. */
class Check {
  #texts = 0;
  /** The query budget ended it. */
  #cut = false;
  #found: (EditedText & CandidateAnswer) | undefined;

  constructor(readonly victim: CheckedVictim) {}

  get #ended(): boolean {
    return this.#cut || this.#found?.broken === true;
  }

  /** Sends the candidates in batches until the check has ended. */
  async send(candidates: Iterable<SentText>): Promise<void> {
    if (this.#ended) return;
    let [batch, characters, most] = [[] as SentText[], 0, FIRST_BATCH];
    for (const candidate of candidates) {
      batch.push(candidate);
      characters += candidate.text.length;
      if (batch.length < most && characters < BATCH_CHARACTERS) continue;
      await this.#sendBatch(batch);
      if (this.#ended) return;
      [batch, characters, most] = [[], 0, Math.min(2 * most, LARGEST_BATCH)];
    }
    await this.#sendBatch(batch);
  }

  async #sendBatch(batch: readonly SentText[]): Promise<void> {
    const allowed: readonly SentText[] = await this.victim.allowed(batch);
    const sent = allowed.slice(0, Math.max(0, Math.min(allowed.length, this.victim.remaining)));
    this.#cut ||= sent.length < allowed.length;
    if (sent.length === 0) return;
    const answers = await this.victim.answers(sent.map(({ text }) => text));
    this.#texts += sent.length;
    for (const [at, { text, edits, answered }] of sent.entries()) {
      const answer = answers[at] as CandidateAnswer;
      answered?.(answer);
      if (this.#found === undefined || rankOf(answer) > rankOf(this.#found) || isCloser(answer, this.#found))
        this.#found = { text, edits, ...answer };
    }
  }

  result(): SpaceCheck {
    return {
      texts: this.#texts,
      finished: !this.#cut && this.#found?.broken !== true,
      found: this.#found,
    };
  }
}

const rankOf = ({ broken, tied }: CandidateAnswer): number => (broken ? 2 : tied ? 1 : 0);

const isCloser = (answer: CandidateAnswer, than: CandidateAnswer): boolean =>
  rankOf(answer) === rankOf(than) && answer.score > than.score;
