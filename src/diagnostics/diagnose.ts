/** @file The extra queries of the suite `standard`: a few edits of a few texts, whose answers show whether the attacks could work. */
import { wordsOf } from '../core/draft.js';
import { queryText } from '../core/pair.js';
import { type Random, random } from '../core/random.js';
import { applyEdits, type TextEdit } from '../core/text-edit.js';
import { isHardLabel } from '../results/clean/scores.js';
import {
  type Diagnose,
  type DiagnosedExample,
  type DiagnosedVictim,
  type DiagnosticEvidence,
  type EditedAnswers,
  withoutQueries,
} from '../results/diagnostics/evidence.js';
import { Answering, keyOf } from './answering.js';
import { type EditableWord, type EditKind, editWord, firstWords, isEditable, randomRewrite } from './edits.js';
import { GRADIENT_QUERIES, gradientEvidence } from './gradients.js';
import {
  bandsOf,
  between,
  compareEffects,
  compareWay,
  GUIDANCE_QUERIES,
  logOdds,
  PATHS,
  pairsOf,
  REMOVED_WORDS,
} from './guidance.js';

/** Passages of a text whose words are edited one by one, and the words of a passage. */
const PASSAGES = 3;
const PASSAGE_WORDS = 4;
/** Texts are lengthened to twice the longest, but no more than twice this number of characters. */
const MAX_LENGTH = 4000;
/** Random rewrites of one text by each kind of edits; where none of the first flips it, as many again twice. */
const REWRITES = 16;
const MORE_REWRITES = 3;
/** Largest n of which scores may all be multiples of 1/n. */
const MAX_STEPS = 1000;

/** Largest number of queries that `diagnose` makes for one example. */
export const MAX_QUERIES =
  PASSAGES * (1 + 3 * PASSAGE_WORDS) + 1 + 2 * MORE_REWRITES * REWRITES + GUIDANCE_QUERIES + GRADIENT_QUERIES + 3;

/** Counts of edited texts by kind. */
type EditTally = { -readonly [K in keyof EditedAnswers]: EditedAnswers[K] };
const tally = (): EditTally => ({ texts: 0, unanswered: 0, unchanged: 0 });

/** Evidence for all checks that need queries. Deterministic for a given seed if the victim's answers are. Throws ModelGone. */
export const diagnose: Diagnose = async (victim) => new Diagnosis(victim).run();

class Diagnosis {
  readonly #victim: DiagnosedVictim;
  readonly #answering: Answering;
  readonly #edits = { own: tally(), foreign: tally(), removed: tally() };
  /** Answer to an edited text that changed -> the examples that got it. */
  readonly #changed: AnswersByKey = new Map();
  /** Answer to a lengthened text -> the examples that got it. */
  readonly #long: AnswersByKey = new Map();
  /** Log-odds of the label in the answers to each example's edited texts. */
  readonly #odds: number[][] = [];
  readonly #guidance = { effects: { n: 0, agree: 0, disagree: 0 }, paths: { n: 0, agree: 0, disagree: 0 } };
  #unansweredLong = 0;
  /** Characters of the longest text, up to `MAX_LENGTH`. */
  readonly #longest: number;

  constructor(victim: DiagnosedVictim) {
    this.#victim = victim;
    this.#answering = new Answering(victim);
    this.#longest = Math.min(MAX_LENGTH, Math.max(...victim.examples.map(({ example }) => example.text.length)));
  }

  async run(): Promise<DiagnosticEvidence> {
    const { examples, gradients, repeating, probabilities } = this.#victim;
    const rewritten: DiagnosticEvidence['examples'][number][] = [];
    for (const each of examples) {
      const stream = random(this.#victim.seed, 'diagnostics', each.example.id);
      const from = this.#answering.rows.length;
      await this.#editPassages(each, stream);
      if (probabilities) await this.#guide(each, stream);
      await this.#lengthen(each);
      rewritten.push({
        id: each.example.id,
        own: await this.#rewrite(each, 'own', stream),
        foreign: await this.#rewrite(each, 'foreign', stream),
      });
      this.#odds.push([...new Set(this.#answering.rows.slice(from).map((row) => logOdds(row, each.label)))]);
    }
    const inside = gradients && examples.length > 0 ? await gradientEvidence(this.#victim, gradients) : undefined;
    const repeats = repeating && (await this.#repeat(repeating));
    const rows = [...examples.map(({ before }) => before), ...this.#answering.rows];
    return {
      queries: this.#answering.queries + (inside?.queries ?? 0) + (repeats === undefined ? 0 : 3 * repeats.texts),
      examples: rewritten,
      edits: this.#edits,
      answers: {
        examples: examples.length,
        distinct: new Set(examples.map(({ before }) => keyOf(before))).size,
        edited: [...this.#changed.values()].reduce((sum, { texts }) => sum + texts, 0),
        shared: sharedOf(this.#changed),
      },
      long: { texts: examples.length, unanswered: this.#unansweredLong, shared: sharedOf(this.#long) },
      scores: probabilities ? scoresOf(rows, this.#odds) : withoutQueries('').scores,
      guidance: this.#guidance,
      ...(inside && { gradients: inside.found }),
      ...(repeats && { repeats }),
    };
  }

  #ask({ example }: DiagnosedExample, texts: readonly string[]): Promise<(Float32Array | undefined)[]> {
    return this.#answering.ask(texts.map((text) => queryText(text, example)));
  }

  /** In passages that matter to the answer, edits each word in turn and removes it. */
  async #editPassages(each: DiagnosedExample, stream: Random): Promise<void> {
    const { text } = each.example;
    const words = firstWords(text);
    const starts = Array.from({ length: Math.ceil(words.length / PASSAGE_WORDS) }, (_, at) => at * PASSAGE_WORDS);
    const passages = stream
      .shuffle(starts)
      .slice(0, PASSAGES)
      .map((start) => words.slice(start, start + PASSAGE_WORDS));
    const removals = await this.#ask(
      each,
      passages.map((passage) => applyEdits(text, passage.map(removed))),
    );
    const mattering = passages.filter((_, at) => {
      const row = removals[at];
      return row === undefined || keyOf(row) !== keyOf(each.before);
    });
    for (const passage of mattering) {
      const editable = passage.filter(isEditable);
      for (const kind of ['own', 'foreign'] as const)
        await this.#count(
          each,
          kind,
          editable.flatMap((word) => editWord(word, kind, this.#victim.language, stream) ?? []),
        );
      await this.#count(each, 'removed', passage.map(removed));
    }
  }

  /** Counts the answers to texts with one of the edits each. */
  async #count(
    each: DiagnosedExample,
    kind: keyof DiagnosticEvidence['edits'],
    edits: readonly TextEdit[],
  ): Promise<void> {
    const { example, before } = each;
    const counts = this.#edits[kind];
    for (const row of await this.#ask(
      each,
      edits.map((edit) => applyEdits(example.text, [edit])),
    )) {
      counts.texts++;
      if (row === undefined) counts.unanswered++;
      else if (keyOf(row) === keyOf(before)) counts.unchanged++;
      else if (kind !== 'removed') noteAnswer(this.#changed, row, each);
    }
  }

  /** The text, repeated until it is twice as long as the longest. */
  async #lengthen(each: DiagnosedExample): Promise<void> {
    const { text } = each.example;
    const times = Math.max(2, Math.ceil((2 * this.#longest) / Math.max(1, text.length)));
    const [row] = await this.#ask(each, [Array.from({ length: times }, () => text).join(' ')]);
    if (row === undefined) this.#unansweredLong++;
    else noteAnswer(this.#long, row, each);
  }

  /** Removes words alone and in pairs, and turns the text into others word by word: texts of other labels if there are any, or none. */
  async #guide(each: DiagnosedExample, stream: Random): Promise<void> {
    const { example, label } = each;
    const odds = async (texts: readonly string[]) =>
      (await this.#ask(each, texts)).map((row) => (row === undefined ? undefined : { row, at: logOdds(row, label) }));
    const words = stream.shuffle(firstWords(example.text)).slice(0, REMOVED_WORDS);
    const without = (gone: readonly EditableWord[]) =>
      applyEdits(
        example.text,
        gone.map(removed).toSorted((a, b) => a.start - b.start),
      );
    const alone = await odds(words.map((word) => without([word])));
    const together = await odds(
      pairsOf(words.length).map((pair) => without(pair.map((at) => words[at] as EditableWord))),
    );
    const kept = (answers: Awaited<ReturnType<typeof odds>>) =>
      answers.map((answer) => (answer === undefined || each.flipped(answer.row) ? Number.NaN : answer.at));
    compareEffects(this.#guidance.effects, kept(alone), kept(together));
    const others = stream.shuffle(this.#victim.examples.filter((other) => other.label !== label)).slice(0, PATHS);
    const [from = [], ...to] = [each, ...others].map((one) => wordsOf(one.example.text).map(({ text }) => text));
    for (let path = 0; path < PATHS; path++) {
      const way = await odds(between(from, to[path % Math.max(1, to.length)] ?? [], stream));
      const end = way.findIndex((answer) => answer === undefined || each.flipped(answer.row));
      const same = way.slice(0, Math.max(0, end)).flatMap((answer) => answer?.at ?? []);
      compareWay(this.#guidance.paths, [logOdds(each.before, label), ...same]);
    }
  }

  /** Random rewrites within the limits of standard-characters. */
  async #rewrite(each: DiagnosedExample, kind: EditKind, stream: Random): Promise<{ texts: number; flipped: number }> {
    const texts = new Set<string>();
    let flipped = 0;
    for (let round = 0; round < MORE_REWRITES && flipped === 0; round++) {
      const drawn = Array.from({ length: REWRITES }, () =>
        randomRewrite(each.example.text, kind, this.#victim.language, stream),
      );
      const fresh = [...new Set(drawn)].filter((text) => text !== undefined && !texts.has(text)) as string[];
      for (const text of fresh) texts.add(text);
      const rows = await this.#ask(each, fresh);
      flipped = rows.filter((row) => row !== undefined && each.flipped(row)).length;
    }
    return { texts: texts.size, flipped };
  }

  /** Queries texts together, then one by one in reverse and in order, so that no rhythm of the answers fits both. */
  async #repeat({ again, classify }: NonNullable<DiagnosedVictim['repeating']>) {
    const texts = this.#victim.examples.map(({ example }) => queryText(example.text, example));
    const together = await new Answering({ classify }).ask(texts);
    const alone = new Answering({ classify: (batch) => Promise.all(batch.map(again)) });
    const changed = new Set<number>();
    let difference = 0;
    for (const order of [[...texts.keys()].toReversed(), [...texts.keys()]]) {
      for (const at of order) {
        const [first, [row]] = [together[at], await alone.ask([texts[at] as string])];
        if (first === undefined || row === undefined) continue;
        if (this.#victim.examples[at]?.flipped(first) !== this.#victim.examples[at]?.flipped(row)) changed.add(at);
        difference = Math.max(difference, ...row.map((score, label) => Math.abs(score - (first[label] as number))));
      }
    }
    return { texts: texts.length, changed: changed.size, difference };
  }
}

const removed = ({ start, end }: EditableWord): TextEdit => ({ start, end, text: '' });

/** Texts, examples and labels by their answer. */
type AnswersByKey = Map<string, { texts: number; examples: Set<string>; labels: Set<number>; hard: boolean }>;

function noteAnswer(answers: AnswersByKey, row: Float32Array, { example: { id }, label }: DiagnosedExample): void {
  const known = answers.get(keyOf(row)) ?? { texts: 0, examples: new Set(), labels: new Set(), hard: isHardLabel(row) };
  known.texts++;
  known.examples.add(id);
  known.labels.add(label);
  answers.set(keyOf(row), known);
}

/**
 * Number of texts whose answer examples of several labels got. If all examples have one label, other examples count unless the answer is
 * saturated, as those to long texts may be.
 */
function sharedOf(answers: AnswersByKey): number {
  const several = new Set([...answers.values()].flatMap(({ labels }) => [...labels])).size > 1;
  return [...answers.values()].reduce(
    (sum, { texts, examples, labels, hard }) =>
      sum + ((several ? labels.size > 1 : examples.size > 1 && !hard) ? texts : 0),
    0,
  );
}

function scoresOf(rows: readonly Float32Array[], odds: readonly (readonly number[])[]): DiagnosticEvidence['scores'] {
  const values = [...new Set(rows.flatMap((row) => [...row]))];
  return {
    texts: rows.length,
    distinct: new Set(rows.map(keyOf)).size,
    saturated: rows.filter(isHardLabel).length,
    steps: stepsOf(values.filter((value) => value > 1e-6 && value < 1 - 1e-6)),
    bands: bandsOf(odds),
  };
}

/** Fewer scores between 0 and 1 may be multiples of a fraction by chance. */
const MIN_SCORES = 5;

/** The least n up to 1,000 such that all scores are multiples of 1/n; 0 if no n fits. */
function stepsOf(scores: readonly number[]): number {
  if (scores.length < MIN_SCORES) return 0;
  for (let n = 1; n <= MAX_STEPS; n++)
    // A score in single precision deviates from a fraction by less than 6e-8.
    if (scores.every((score) => Math.abs(score * n - Math.round(score * n)) < 1e-7 * n)) return n;
  return 0;
}
