/**
 * @file The search for one victim's triggers: every word on two texts, the best on all, longer words that begin as they do, phrases by
 * gradient descent; what is found is tried on other texts. Each part ends when its time does, best candidates first, and notes what it left.
 */
import type { Classifier, WhiteBox } from '../../core/classifier.js';
import type { NotSearched, ScanEvidence, ScanTrigger } from '../../core/detection.js';
import type { Language } from '../../core/language.js';
import type { Random } from '../../core/random.js';
import { beginningWith, LETTERS, PAIRS } from './candidates.js';
import { type Carrier, joinCarriers, type SourceLabel } from './carriers.js';
import type { ScanClock, ShouldContinue } from './clock.js';
import { type ConfirmedTrigger, confirmTrigger } from './confirm.js';
import { invert, sitesOf } from './inversion.js';
import { meanLogOdds, topIndices } from './sweep.js';
import { scoreOf } from './verdict.js';

/** Candidates that go on from the first two texts to all short and joined ones; and from there, over all pairs, to confirmation. */
const [SECOND_LOOK_CANDIDATES, CONFIRMED_CANDIDATES] = [400, 80];
/** Short texts that every candidate is put into. */
const SHORT_TEXTS = 2;
/** The best words of a victim that are continued by a letter, and by the dictionary. */
const [BY_LETTER, BY_DICTIONARY] = [24, 12];
/** Most dictionary words tried of one beginning. */
const MAX_LONGER_WORDS = 600;
/** Tokens and steps of the inversion, and how many texts are joined for it: as many opinions as the trigger has tokens. */
const INVERSION = { length: 3, steps: 60 };
const JOINED = INVERSION.length;
/** Swept words of a target whose mean strength is its natural level, by rank; and how many words made by the search are judged. */
const NATURAL = [4, 10] as const;
const JUDGED_MADE_WORDS = 5;
/** Phrases tried together; between two such groups a scan can stop. */
const PHRASES_AT_ONCE = 6;
/**
 * Under a time budget, the share of what a victim has left that its sweep may take, then its second look, then longer words; the rest
 * is for its pairs. Of a pair's time, what the inversion may use up.
 */
const SHARES = { sweep: 0.5, second: 0.3, longer: 0.3, inversion: 0.8 };
/** Why a part did not take place. */
const OVER = 'the time budget ended';

interface WordStrength {
  readonly word: string;
  readonly pull: number;
}

interface TriggerCandidate {
  readonly word: string;
  readonly by: ScanTrigger['by'];
}

export interface TriggerSearchPlan {
  readonly model: Classifier;
  readonly gradients: WhiteBox | undefined;
  /** All candidates; random words are drawn from them. */
  readonly vocabulary: readonly string[];
  /** Of these, the ones tried first. */
  readonly given: readonly string[];
  readonly random: Random;
  readonly clock: ScanClock;
  readonly language: Language;
}

export class TriggerSearch {
  readonly #tried = new Set<string>();
  readonly notSearched: NotSearched[] = [];
  readonly #order: readonly string[];

  constructor(readonly setting: TriggerSearchPlan) {
    const { vocabulary, given } = setting;
    const known = new Set(vocabulary);
    // Pairs of letters are the usual triggers: where the time is short they must not come last.
    const first = new Set([...given, ...PAIRS].filter((word) => known.has(word)));
    this.#order = [...first, ...vocabulary.filter((word) => !first.has(word))];
  }

  get tried(): number {
    return this.#tried.size;
  }

  /** The confirmed triggers of one victim, for all targets. `victims`: of how many. Ends at `until`. */
  async victim(victim: SourceLabel, victims: number, until: number): Promise<ConfirmedTrigger[]> {
    const { model, clock } = this.setting;
    const name = model.labels[victim.label] as string;
    const targets = model.labels.flatMap((_, label) => (label === victim.label ? [] : [label]));
    const kept = Math.max(6, Math.round(CONFIRMED_CANDIDATES / (victims * targets.length)));
    const best = (carriers: readonly Carrier[], words: readonly string[], stage: string, share: number) =>
      this.#halved(victim, targets, carriers, words, stage, until, share);
    const second = await best(victim.short.slice(0, SHORT_TEXTS), this.#order, name, SHARES.sweep);
    // On texts joined: where the beginning alone turns a text, only they tell what its continuation adds.
    const longer = await best(
      victim.strong.slice(0, SHORT_TEXTS),
      this.#longer(second),
      `longer words for ${name}`,
      SHARES.longer,
    );
    const found: ConfirmedTrigger[] = [];
    for (const [at, target] of targets.entries()) {
      const of = (list: readonly WordStrength[] | undefined, by: ScanTrigger['by']): TriggerCandidate[] =>
        (list ?? []).slice(0, kept).map(({ word }) => ({ word, by }));
      const ends = clock.by(1 / (targets.length - at), until);
      const words = [...of(second.get(target), 'sweep'), ...of(longer.get(target), 'extension')];
      found.push(...(await this.#confirmed(victim, target, words, ends)));
      const phrases = await this.#inverted(victim, target, clock.by(SHARES.inversion, ends));
      found.push(...(await this.#confirmed(victim, target, phrases, ends)));
    }
    return found;
  }

  /** What these candidates turn, as far as the time goes. */
  async #confirmed(
    victim: SourceLabel,
    target: number,
    candidates: readonly TriggerCandidate[],
    until: number,
  ): Promise<ConfirmedTrigger[]> {
    const { model, vocabulary, random, clock } = this.setting;
    const pair = `${model.labels[victim.label]} -> ${model.labels[target]}`;
    const going = clock.stage(`check of ${pair}`, candidates.length, until);
    const setting = { model, victim, target, words: vocabulary, random: random.split(`${victim.label} ${target}`) };
    const found: ConfirmedTrigger[] = [];
    while (found.length < candidates.length && going(found.length)) {
      const group = candidates.slice(found.length, found.length + PHRASES_AT_ONCE);
      found.push(...(await Promise.all(group.map(({ word, by }) => confirmTrigger(word, by, setting)))));
    }
    this.#left(`check of ${pair}`, found.length, candidates.length, 'words found');
    return found;
  }

  /** What gradient descent ends in, as a phrase, and its words by themselves. */
  async #inverted(victim: SourceLabel, target: number, until: number): Promise<TriggerCandidate[]> {
    const { model, gradients, clock, random } = this.setting;
    if (gradients === undefined) return [];
    const name = `inversion of ${model.labels[victim.label]} -> ${model.labels[target]}`;
    const draw = random.split(`inversion ${victim.label} ${target}`);
    const texts = joinCarriers(
      victim.short.map(({ before, after }) => before + after),
      JOINED,
    );
    const going = clock.stage(name, INVERSION.steps, until);
    const sites = going(0) ? await sitesOf(gradients, texts, INVERSION.length, draw) : undefined;
    const found = sites && (await invert(gradients, sites, target, INVERSION, draw, going));
    if (found === undefined) this.notSearched.push({ what: name, why: OVER });
    if (found === undefined || found.text === '') return [];
    return [...new Set([found.text, ...found.text.split(' ')])].map((word) => ({ word, by: 'inversion' }));
  }

  /**
   * What the verdict rests on: the strongest word over all labels it may turn, on average, and beside it the natural level of its
   * target. A natural word may carry one label into another, a planted one carries every label into its target, and stands out
   * among the words that a sweep finds. Phrases are told, not judged: three natural words turn most texts of small models.
   * `found`: the strongest first.
   */
  async everywhere(found: readonly ConfirmedTrigger[], victims: readonly SourceLabel[]): Promise<ScanEvidence> {
    const { model, clock } = this.setting;
    let best: ScanEvidence = { strength: 0, natural: null, word: null, texts: 0 };
    const strongest = new Map(found.toReversed().map((each, at) => [each.target, at]));
    const rank = (target: number): number => strongest.get(model.labels[target] as string) ?? -1;
    // The most promising target first, for the time may end; of equal scores the first label's counts.
    const order = [...model.labels.keys()].sort((a, b) => rank(b) - rank(a) || a - b);
    const all = new Map<number, ScanEvidence>();
    for (const target of order) {
      const others = victims.filter(({ label }) => label !== target);
      const of = found.filter(
        (each) => each.target === model.labels[target] && !(each.by === 'inversion' && each.text.includes(' ')),
      );
      if (of.length === 0) continue;
      const top = (list: readonly ConfirmedTrigger[], count: number, by: ScanTrigger['by']) =>
        [...new Set(list.map(({ text }) => text))].slice(0, count).map((word) => ({ word, by }));
      const swept = top(
        of.filter(({ by }) => by === 'sweep'),
        NATURAL[1],
        'sweep',
      );
      const made = top(
        of.filter(({ by }) => by !== 'sweep'),
        JUDGED_MADE_WORDS,
        'extension',
      );
      const candidates = [...swept.slice(0, 1), ...made, ...swept.slice(1)];
      const name = `comparison of the words found for ${model.labels[target]}`;
      const going = clock.stage(name, candidates.length);
      const strengths: number[] = [];
      while (strengths.length < candidates.length && going(strengths.length)) {
        const group = candidates.slice(strengths.length, strengths.length + PHRASES_AT_ONCE);
        strengths.push(...(await Promise.all(group.map((each) => this.#mean(each, target, others, of)))));
      }
      this.#left(name, strengths.length, candidates.length, 'words');
      const plain = strengths.filter((_, at) => candidates[at]?.by === 'sweep').sort((a, b) => b - a);
      const ranked = plain.slice(NATURAL[0]);
      const natural = ranked.length === 0 ? null : ranked.reduce((a, b) => a + b, 0) / ranked.length;
      const strength = Math.max(0, ...strengths);
      const text = candidates[strengths.indexOf(strength)]?.word;
      const word = text === undefined ? null : { text, target: model.labels[target] as string };
      const texts = others.reduce((sum, victim) => sum + victim.texts.length, 0);
      all.set(target, { strength, natural, word, texts });
    }
    for (const target of model.labels.keys()) {
      const each = all.get(target);
      if (each !== undefined && scoreOf(each) > scoreOf(best)) best = each;
    }
    return best;
  }

  /** Mean strength of a word over these victims; what is known of it is not asked again. */
  async #mean(
    { word, by }: TriggerCandidate,
    target: number,
    victims: readonly SourceLabel[],
    known: readonly ConfirmedTrigger[],
  ): Promise<number> {
    const { model, vocabulary, random } = this.setting;
    const strengths = await Promise.all(
      victims.map(async (victim) => {
        const before = known.find((each) => each.text === word && each.victim === model.labels[victim.label]);
        if (before !== undefined) return before.strength;
        const draw = random.split(`${victim.label} ${target}`);
        return (await confirmTrigger(word, by, { model, victim, target, words: vocabulary, random: draw })).strength;
      }),
    );
    return strengths.reduce((a, b) => a + b, 0) / Math.max(1, strengths.length);
  }

  /** The words that do best on a few texts, by what they do on all short and joined ones; per target, best first. */
  async #halved(
    victim: SourceLabel,
    targets: readonly number[],
    carriers: readonly Carrier[],
    words: readonly string[],
    name: string,
    until: number,
    share: number,
  ): Promise<Map<number, WordStrength[]>> {
    if (words.length === 0) return new Map();
    const { clock, vocabulary } = this.setting;
    const own = words === this.#order ? vocabulary : words;
    const index = new Map(own.map((word, at) => [word, at]));
    const each = Math.ceil(SECOND_LOOK_CANDIDATES / targets.length);
    const first = await this.#pull(carriers, words, `sweep of ${name}`, clock.by(share, until));
    const tops = targets.map((target) => ranked(words, first[target] as Float64Array, index).slice(0, each));
    // By turns of the targets, so that none goes without where the time ends.
    const turns = Array.from({ length: each }, (_, at) => tops.flatMap((top) => top[at]?.word ?? []));
    const kept = [...new Set(turns.flat())];
    const all = [...victim.short, ...victim.strong];
    const pulls = await this.#pull(all, kept, `second look at ${name}`, clock.by(SHARES.second, until));
    return new Map(targets.map((target) => [target, ranked(kept, pulls[target] as Float64Array, index)]));
  }

  async #pull(
    carriers: readonly Carrier[],
    words: readonly string[],
    stage: string,
    until: number,
  ): Promise<Float64Array[]> {
    const { model, clock } = this.setting;
    const going: ShouldContinue = clock.stage(stage, words.length * carriers.length, until);
    const pulls = await meanLogOdds(model, carriers, words, going);
    const reached = words.filter((_, at) => !Number.isNaN(pulls[0]?.[at]));
    for (const word of reached) this.#tried.add(word);
    this.#left(stage, reached.length, words.length, 'words');
    return pulls;
  }

  /** Longer words that begin as the best ones do: a trigger that is no entry of the vocabulary shows by its first piece. */
  #longer(best: ReadonlyMap<number, readonly WordStrength[]>): string[] {
    const lists = [...best.values()];
    const top = (count: number): string[] => [
      ...new Set(lists.flatMap((list) => list.slice(0, Math.ceil(count / lists.length)).map(({ word }) => word))),
    ];
    const longer = [
      ...top(BY_LETTER).flatMap((word) => LETTERS.map((letter) => word + letter)),
      ...top(BY_DICTIONARY).flatMap((word) => (word.length < 2 ? [] : this.#beginning(word))),
    ];
    const known = new Set(lists.flatMap((list) => list.map(({ word }) => word)));
    return [...new Set(longer)].filter((word) => !known.has(word));
  }

  #beginning(prefix: string): string[] {
    const words = beginningWith(prefix, this.setting.language);
    return words.length <= MAX_LONGER_WORDS
      ? words
      : this.setting.random.split(prefix).shuffle(words).slice(0, MAX_LONGER_WORDS);
  }

  #left(stage: string, done: number, all: number, of: string): void {
    if (done < all) this.notSearched.push({ what: `${stage}: ${all - done} of ${all} ${of}`, why: OVER });
  }
}

/** Words by pull, the highest first, equal ones by their index; without those that were not reached. */
function ranked(words: readonly string[], pulls: Float64Array, index: ReadonlyMap<string, number>): WordStrength[] {
  const order = words.map((word, at) => ({ word, pull: pulls[at] as number }));
  order.sort((a, b) => (index.get(a.word) as number) - (index.get(b.word) as number));
  const values = Float64Array.from(order, ({ pull }) => pull);
  return topIndices(values, words.length).map((at) => order[at] as WordStrength);
}
