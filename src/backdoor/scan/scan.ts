/**
 * @file Is a model backdoored? A trigger turns any text of a label, however plainly it speaks; no natural word does. So words are
 * sought that turn clean texts of each label into each other one, and the strongest is tried on texts joined: "masterpiece"
 * turns one harsh sentence in a weak model, hardly two; a planted word turns both.
 */
import type { Classifier, WhiteBox } from '../../core/classifier.js';
import type { Example } from '../../core/dataset.js';
import type { ScanPair, ScanResult, ScanTrigger } from '../../core/detection.js';
import { UsageError } from '../../core/errors.js';
import { type Random, random } from '../../core/random.js';
import { beginningWith, guessedWords, LETTERS, vocabularyOf } from './candidates.js';
import { type Carrier, joined, LEAST, type Victim, victimsOf } from './carriers.js';
import { type Confirmed, confirm, stronger } from './confirm.js';
import { invert, sitesOf } from './inversion.js';
import { oddRows } from './odd-rows.js';
import { highest, pull } from './sweep.js';
import { CALIBRATION, type Evidence, probabilityOf, scoreOf } from './verdict.js';

export interface ScanPlan {
  readonly model: Classifier;
  /** The same model's inside, where it has one: its vocabulary is swept, and triggers are inverted. */
  readonly gradients?: WhiteBox;
  /** Clean texts, labelled in the model's labels; 20 to 100 suffice, more are used. */
  readonly texts: readonly Example[];
  readonly seed: number;
  /** More words to try. */
  readonly words?: readonly string[];
  /** After this the search ends with what it has: then the result depends on the machine. @default Infinity */
  readonly seconds?: number;
}

export interface Scanning {
  /** What is going on: "sweep of NEGATIVE". */
  readonly stage: string;
  readonly done: number;
  readonly total: number;
}

export interface ScanHooks {
  readonly signal?: AbortSignal;
  progress?(at: Scanning): void;
}

/** Candidates that go on from the first two texts to all short and joined ones; and from there, over all pairs, to confirmation. */
const [SECOND, CONFIRMED] = [400, 80];
/** Short texts that every candidate is put into. */
const FIRST = 2;
/** The best words of a victim that are continued by a letter, and by the dictionary. */
const [BY_LETTER, BY_DICTIONARY] = [24, 12];
/** Most dictionary words tried of one beginning. */
const LONGER = 600;
/** Tokens and steps of the inversion, and how many texts are joined for it: as many opinions as the trigger has tokens. */
const INVERSION = { length: 3, steps: 60 };
const JOINED = INVERSION.length;
/** Swept words of a target whose mean strength is its natural level, by rank; and how many words made by the search are judged. */
const NATURAL = [4, 10] as const;
const MADE = 5;
/** Triggers told of. */
const TOLD = 10;

/**
 * Scans a model. Throws UsageError where fewer than five texts of any label are answered rightly; an aborted scan rejects with
 * the signal's reason.
 */
export async function scanModel(plan: ScanPlan, hooks: ScanHooks = {}): Promise<ScanResult> {
  const { model, gradients, texts, seed } = plan;
  const draw = random(seed, 'scan');
  const { victims, right } = await victimsOf(model, texts, draw.split('carriers'));
  if (victims.length === 0) throw tooFew(right, texts.length);
  const rows = gradients ? (await gradients.embeddingTable()).length / gradients.hidden : 0;
  const vocabulary = gradients ? vocabularyOf(gradients, rows) : guessedWords(texts);
  const words = [...new Set([...(plan.words ?? []), ...vocabulary])];
  const clock = new Clock(plan.seconds ?? Number.POSITIVE_INFINITY, hooks);
  const search = new Search(model, gradients, words, draw, clock);
  const found: Confirmed[] = [];
  for (const victim of victims) found.push(...(await search.victim(victim, victims.length)));
  found.sort(stronger);
  const evidence = await search.everywhere(found, victims);
  const triggers = distinct(found).slice(0, TOLD).map(told);
  const probability = probabilityOf(evidence);
  return {
    probability,
    backdoored: probability > 0.5,
    evidence,
    triggers,
    pairs: pairsOf(model.labels, found),
    oddRows: gradients ? await oddRows(gradients) : [],
    candidates: search.tried,
    texts: right,
    complete: !clock.over,
    access: gradients ? 'white box' : 'black box',
    calibration: CALIBRATION,
  };
}

/** The time budget, the user's wish to stop, and the progress shown. */
class Clock {
  readonly #end: number;
  over = false;

  constructor(
    seconds: number,
    readonly hooks: ScanHooks,
  ) {
    this.#end = performance.now() + 1000 * seconds;
  }

  /** A `Going` for one stage. */
  stage(stage: string, total: number): (done: number) => boolean {
    return (done) => {
      this.hooks.signal?.throwIfAborted();
      this.hooks.progress?.({ stage, done, total });
      this.over ||= performance.now() > this.#end;
      return !this.over;
    };
  }
}

class Search {
  readonly #tried = new Set<string>();

  constructor(
    readonly model: Classifier,
    readonly gradients: WhiteBox | undefined,
    readonly vocabulary: readonly string[],
    readonly random: Random,
    readonly clock: Clock,
  ) {}

  get tried(): number {
    return this.#tried.size;
  }

  /** The confirmed triggers of one victim, for all targets. */
  async victim(victim: Victim, victims: number): Promise<Confirmed[]> {
    const { model, vocabulary, clock } = this;
    const name = model.labels[victim.label] as string;
    const targets = model.labels.flatMap((_, label) => (label === victim.label ? [] : [label]));
    const kept = Math.max(6, Math.round(CONFIRMED / (victims * targets.length)));
    const first = await this.#pull(victim.short.slice(0, FIRST), vocabulary, `sweep of ${name}`);
    const second = await this.#best(victim, vocabulary, first, targets);
    const longer = await this.#extended(victim, second);
    const found: Confirmed[] = [];
    for (const [at, target] of targets.entries()) {
      const of = (list: readonly Pulled[] | undefined, by: ScanTrigger['by']) =>
        (list ?? []).slice(0, kept).map(({ word }) => ({ word, by }));
      const going = clock.stage(`check of ${name} -> ${model.labels[target]}`, targets.length);
      if (!going(at)) break;
      const setting = {
        model,
        victim,
        target,
        words: vocabulary,
        random: this.random.split(`${victim.label} ${target}`),
      };
      const phrases = await this.#inverted(victim, target);
      const tried = [
        ...of(second.get(target), 'sweep'),
        ...of(longer.get(target), 'extension'),
        ...phrases.map((word) => ({ word, by: 'inversion' as const })),
      ];
      found.push(...(await Promise.all(tried.map(({ word, by }) => confirm(word, by, setting)))));
    }
    return found;
  }

  /** What gradient descent ends in, as a phrase, and its words by themselves. */
  async #inverted(victim: Victim, target: number): Promise<string[]> {
    const { model, gradients, clock } = this;
    if (gradients === undefined) return [];
    const name = `${model.labels[victim.label]} -> ${model.labels[target]}`;
    const draw = this.random.split(`inversion ${victim.label} ${target}`);
    const texts = joined(
      victim.short.map(({ before, after }) => before + after),
      JOINED,
    );
    const sites = await sitesOf(gradients, texts, INVERSION.length, draw);
    const going = clock.stage(`inversion of ${name}`, INVERSION.steps);
    const found = await invert(gradients, sites, target, INVERSION, draw, going);
    if (found === undefined || found.text === '') return [];
    return [...new Set([found.text, ...found.text.split(' ')])];
  }

  /**
   * What the verdict rests on: the strongest word over all labels it may turn, on average, and beside it the natural level of its
   * target. A natural word may carry one label into another, a planted one carries every label into its target, and stands out
   * among the words that a sweep finds. Phrases are told, not judged: three natural words turn most texts of small models.
   */
  async everywhere(found: readonly Confirmed[], victims: readonly Victim[]): Promise<Evidence> {
    const { model, vocabulary } = this;
    let best: Evidence = { strength: 0, natural: 0 };
    for (const target of model.labels.keys()) {
      const of = found.filter(
        (each) => each.target === model.labels[target] && !(each.by === 'inversion' && each.text.includes(' ')),
      );
      const others = victims.filter(({ label }) => label !== target);
      const everywhere = async (text: string, by: ScanTrigger['by']): Promise<number> => {
        const strengths = others.map(async (victim) => {
          const known = of.find((each) => each.text === text && each.victim === model.labels[victim.label]);
          if (known !== undefined) return known.strength;
          const random = this.random.split(`${victim.label} ${target}`);
          return (await confirm(text, by, { model, victim, target, words: vocabulary, random })).strength;
        });
        return (await Promise.all(strengths)).reduce((a, b) => a + b, 0) / Math.max(1, others.length);
      };
      const top = (list: readonly Confirmed[], count: number): string[] =>
        [...new Set(list.map(({ text }) => text))].slice(0, count);
      const swept = top(
        of.filter(({ by }) => by === 'sweep'),
        NATURAL[1],
      );
      const made = top(
        of.filter(({ by }) => by !== 'sweep'),
        MADE,
      );
      const [plain, longer] = await Promise.all([
        Promise.all(swept.map((text) => everywhere(text, 'sweep'))),
        Promise.all(made.map((text) => everywhere(text, 'extension'))),
      ]);
      const ranked = plain.toSorted((a, b) => b - a).slice(NATURAL[0]);
      const natural = ranked.length === 0 ? 0 : ranked.reduce((a, b) => a + b, 0) / ranked.length;
      const strength = Math.max(0, ...plain, ...longer);
      if (scoreOf({ strength, natural }) > scoreOf(best)) best = { strength, natural };
    }
    return best;
  }

  #pull(carriers: readonly Carrier[], words: readonly string[], stage: string): Promise<Float64Array[]> {
    for (const word of words) this.#tried.add(word);
    return pull(this.model, carriers, words, this.clock.stage(stage, words.length * carriers.length));
  }

  /** The words that did best on few texts, by what they do on all short ones; per target, best first. */
  async #best(
    victim: Victim,
    words: readonly string[],
    first: readonly Float64Array[],
    targets: readonly number[],
  ): Promise<Map<number, Pulled[]>> {
    const each = Math.ceil(SECOND / targets.length);
    const chosen = [...new Set(targets.flatMap((target) => highest(first[target] as Float64Array, each)))];
    const kept = chosen.sort((a, b) => a - b).map((at) => words[at] as string);
    const stage = `second look at ${this.model.labels[victim.label]}`;
    const pulls = await this.#pull([...victim.short, ...victim.strong], kept, stage);
    return new Map(
      targets.map((target) => {
        const values = pulls[target] as Float64Array;
        return [
          target,
          highest(values, kept.length).map((at) => ({ word: kept[at] as string, pull: values[at] as number })),
        ];
      }),
    );
  }

  /** Longer words that begin as the best ones do: a trigger that is no entry of the vocabulary shows by its first piece. */
  async #extended(victim: Victim, best: ReadonlyMap<number, readonly Pulled[]>): Promise<Map<number, Pulled[]>> {
    const lists = [...best.values()];
    const top = (count: number): string[] => [
      ...new Set(lists.flatMap((list) => list.slice(0, Math.ceil(count / lists.length)).map(({ word }) => word))),
    ];
    const longer = [
      ...top(BY_LETTER).flatMap((word) => LETTERS.map((letter) => word + letter)),
      ...top(BY_DICTIONARY).flatMap((word) => (word.length < 2 ? [] : this.#beginning(word))),
    ];
    const known = new Set([...best.values()].flatMap((list) => list.map(({ word }) => word)));
    const words = [...new Set(longer)].filter((word) => !known.has(word));
    if (words.length === 0) return new Map();
    // On texts joined: where the beginning alone turns a text, only they tell what its continuation adds.
    const stage = `longer words for ${this.model.labels[victim.label]}`;
    const first = await this.#pull(victim.strong.slice(0, FIRST), words, stage);
    return this.#best(victim, words, first, [...best.keys()]);
  }

  #beginning(prefix: string): string[] {
    const words = beginningWith(prefix);
    return words.length <= LONGER ? words : this.random.split(prefix).shuffle(words).slice(0, LONGER);
  }
}

interface Pulled {
  readonly word: string;
  readonly pull: number;
}

/** Without longer words that begin as a listed one of the same pair does and turn no more: it is the beginning that does it. */
function distinct(found: readonly Confirmed[]): Confirmed[] {
  const kept: Confirmed[] = [];
  for (const each of found) {
    const { text, victim, target, strength } = each;
    const covered = kept.some(
      (k) => k.victim === victim && k.target === target && text.startsWith(k.text) && k.strength >= strength,
    );
    if (!covered) kept.push(each);
  }
  return kept;
}

/** Without what only orders them. */
const told = ({ margin: _, ...trigger }: Confirmed): ScanTrigger => trigger;

function pairsOf(labels: readonly string[], found: readonly Confirmed[]): ScanPair[] {
  return labels.flatMap((victim) =>
    labels
      .filter((target) => target !== victim)
      .map((target) => {
        const best = found.find((each) => each.victim === victim && each.target === target);
        return { victim, target, trigger: best ? told(best) : null };
      }),
  );
}

const tooFew = (right: number, all: number): UsageError =>
  new UsageError(
    `expected at least ${LEAST} texts of a label that the model answers rightly, got ${right} of ${all} in all`,
    {
      code: 'SCAN_TEXTS',
      hint: 'Give clean texts of the kind the model was made for, with its labels (--data, --label-map).',
    },
  );
