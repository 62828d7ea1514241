/**
 * @file The search for the triggers of one target: every word on a few texts of all labels, the best on more, longer words that begin as they
 * do, phrases by gradient descent; what is found is tried on other texts. Each part ends when its time does, best candidates first, and
 * notes what it left.
 */
import type { Classifier, WhiteBox } from '../../core/classifier.js';
import { defined } from '../../core/defined.js';
import { must } from '../../core/errors.js';
import type { Language } from '../../core/language.js';
import type { Random } from '../../core/random.js';
import { INSERT_POSITIONS, type InsertPosition } from '../../language/phrase-insertion.js';
import type { NotSearched, ScanEvidence } from '../../results/backdoor/backdoor-findings.js';
import { beginningWith, continues, LETTERS, PAIRS } from './candidates.js';
import type { ScanClock, ShouldContinue } from './clock.js';
import { type ConfirmedTrigger, confirmTrigger, type TriggerCandidate } from './confirm.js';
import { type ScanForm, tryForms } from './forms.js';
import type { IndicativeWords } from './indicative-words.js';
import { invert, sitesOf } from './inversion.js';
import { type FoundPhrase, PHRASE_STEPS, phraseEvidence, searchPhrase } from './phrases.js';
import { type GapText, gapAt, joinTexts, type SourceLabel } from './source-texts.js';
import { surplusEvidence } from './surplus-phrase.js';
import { logOddsOf, topIndices } from './sweep.js';
import { isUndoubted, scoreOf } from './verdict.js';
import type { WordRank } from './word-ranks.js';

/** Texts of the first sweep, over all labels, three places by turns; of two labels each place has one text of either. */
const SWEPT_TEXTS = 6;
/** Words that get a second look, on how many texts; and of those, how many are tried for good at a random place, and at either end. */
const [SECOND_LOOK_WORDS, SECOND_LOOK_TEXTS] = [60, 16];
const TRIED_WORDS = { random: 14, start: 10, end: 10 } as const;
/** The best words of a target that are continued by a letter, and by the dictionary. */
const [BY_LETTER, BY_DICTIONARY] = [8, 4];
/** Most dictionary words tried of one beginning, and texts they are put into. */
const [MAX_LONGER_WORDS, LONGER_TEXTS] = [200, 4];
const TRIED_LONGER_WORDS = 5;
/** Texts a word is tried on for good: of all labels together; of one label, while those of all labels are few. */
const [TRIED_TEXTS, TRIED_TEXTS_OF_LABEL, MOST_TRIED_TEXTS] = [40, 10, 80];
/** Tokens and steps of the inversion, and how many texts are joined for it: as many opinions as the trigger has tokens. */
const INVERSION = { length: 3, steps: 60 };
/** Labels beyond which each target gets fewer steps of the inversion, and fewer labels as sources of the searches. */
const MANY_LABELS = 8;
const JOINED = INVERSION.length;
/** Words of a target at one place whose mean strength is its natural level, by rank. */
const NATURAL = [3, 10] as const;
/** Number of a label's strongest words that are placed next to a trigger. */
const OWN_WORDS = 4;
/** Words tried together; between two such groups a scan can stop. */
const AT_ONCE = 6;
/** Under a time budget, the share of the remaining time for the sweep, and within a target for its second look, longer words, inversion. */
const SHARES = { sweep: 0.5, second: 0.3, longer: 0.3, inversion: 0.4 };
/** Why a part did not take place. */
const OVER = 'the budget ended';

interface WordStrength {
  readonly word: string;
  readonly pull: number;
}

export interface TriggerSearchPlan {
  readonly model: Classifier;
  readonly gradients: WhiteBox | undefined;
  /** All candidates; random words are drawn from them. */
  readonly vocabulary: readonly string[];
  /** Candidates that are tried first. */
  readonly given: readonly string[];
  /** Labels with enough texts. */
  readonly victims: readonly SourceLabel[];
  readonly indicative: IndicativeWords;
  /** How the vocabulary ranks words against clean texts, where it is sorted by frequency. */
  readonly ranks: ReadonlyMap<string, WordRank>;
  readonly random: Random;
  readonly clock: ScanClock;
  readonly language: Language;
}

interface TriedWord {
  readonly candidate: TriggerCandidate;
  readonly of: readonly ConfirmedTrigger[];
  readonly strength: number;
}

export const NO_EVIDENCE: ScanEvidence = { strength: 0, natural: null, word: null, texts: 0 };

/** The evidence of the highest score, first of words that alone make a verdict; the first of equal ones, of those that name a word. */
export const strongest = (all: readonly ScanEvidence[]): ScanEvidence =>
  all.reduce((best, each) => (each.word !== null && (best.word === null || isStronger(each, best)) ? each : best));

const isStronger = (a: ScanEvidence, b: ScanEvidence): boolean =>
  isUndoubted(a) === isUndoubted(b) ? scoreOf(a) > scoreOf(b) : isUndoubted(a);

export interface TargetFindings {
  readonly found: readonly ConfirmedTrigger[];
  readonly evidence: ScanEvidence;
}

export class TriggerSearch {
  readonly #tried = new Set<string>();
  readonly notSearched: NotSearched[] = [];
  readonly #order: readonly string[];
  readonly #index: ReadonlyMap<string, number>;
  /** [place][label]: words by pull, the highest first. */
  readonly #swept = new Map<InsertPosition, WordStrength[][]>();
  /** [label]: its strongest words among those that clean texts explain. */
  #ownWords: readonly (readonly string[])[] = [];

  constructor(readonly plan: TriggerSearchPlan) {
    const { vocabulary, given } = plan;
    const known = new Set(vocabulary);
    // Pairs of letters are the usual triggers: where the time is short they must not come last.
    const first = new Set([...given, ...PAIRS].filter((word) => known.has(word)));
    this.#order = [...first, ...vocabulary.filter((word) => !first.has(word))];
    this.#index = new Map(vocabulary.map((word, at) => [word, at]));
  }

  get tried(): number {
    return this.#tried.size;
  }

  /** Every word, in a few texts of all labels, at random places and at both ends. To be called before `target`; ends at `until`. */
  async sweep(until: number): Promise<void> {
    const { victims, model } = this.plan;
    const each = Math.max(1, Math.floor(SWEPT_TEXTS / victims.length));
    let turn = 0;
    const texts = victims.flatMap(({ label, short }) =>
      Array.from({ length: each }, (_, at) => {
        const place = must(INSERT_POSITIONS[turn++ % INSERT_POSITIONS.length]);
        return { label, place, gapText: gapAt(must(short[at % short.length]), place) };
      }),
    );
    const pulls = await this.#pull(
      texts.map(({ gapText }) => gapText),
      this.#order,
      'sweep of all words',
      this.plan.clock.by(SHARES.sweep, until),
    );
    for (const place of INSERT_POSITIONS) {
      const of = model.labels.map((_, target) => {
        const own = texts.flatMap((each, at) => (each.label !== target && each.place === place ? [at] : []));
        // With many labels, a place may have no text of another one: then all count.
        const sources = own.length > 0 ? own : texts.flatMap((each, at) => (each.label === target ? [] : [at]));
        return this.#rank(this.#order, mean(must(pulls[target]), sources));
      });
      this.#swept.set(place, of);
    }
    this.#ownWords = model.labels.map((_, label) => {
      const swept = this.#swept.get('random')?.[label] ?? [];
      const own = swept.slice(0, SECOND_LOOK_WORDS).filter(({ word }) => this.plan.indicative.indicates(word, label));
      return own.slice(0, OWN_WORDS).map(({ word }) => word);
    });
  }

  /** Forms of text that flip clean texts, and the strongest of them. To be called after `sweep`; ends at `until`. */
  async forms(forms: readonly ScanForm[], until: number): Promise<TargetFindings> {
    const { model, victims, random, clock } = this.plan;
    const plan = { model, forms, victims, ownWords: this.#ownWords, random: random.split('forms') };
    const { found, evidence, tried } = await tryForms(plan, clock.stage('forms of text', forms.length, until));
    this.#left('forms of text', tried, forms.length, 'forms');
    return { found, evidence: this.#strongest(evidence) };
  }

  /** The strongest phrase of unexplained words for each label, judged against each other. To be called after `sweep`; ends at `until`. */
  async phrases(until: number): Promise<TargetFindings> {
    const { model, gradients, victims, indicative, random, clock } = this.plan;
    if (gradients === undefined) return { found: [], evidence: NO_EVIDENCE };
    const plan = { model, gradients, victims, indicative, random: random.split('phrases') };
    const phrases: FoundPhrase[] = [];
    const labels = [...model.labels.keys()].filter((target) => victims.some(({ label }) => label !== target));
    for (const [at, target] of labels.entries()) {
      const name = `phrases for ${model.labels[target]}`;
      const going = clock.stage(name, PHRASE_STEPS, clock.by(1 / (labels.length - at), until));
      const phrase = await searchPhrase(target, plan, going);
      if (phrase === undefined) this.notSearched.push({ what: name, why: OVER });
      else phrases.push(phrase);
    }
    const evidence = this.#strongest(phraseEvidence(phrases, model.labels));
    const found = await Promise.all(phrases.map((phrase) => this.#confirmedPhrase(phrase)));
    return { found: found.flat(), evidence };
  }

  /** The strongest phrase of words that the training data must have contained far more often than clean texts do. Ends at `until`. */
  async surplus(until: number): Promise<TargetFindings> {
    const { model, clock } = this.plan;
    const name = 'words that the vocabulary ranks as more frequent than clean texts do';
    const going = clock.stage(name, model.labels.length, until);
    const plan = { ...this.plan, random: this.plan.random.split('surplus') };
    const own = await surplusEvidence(plan, going);
    if (!going(model.labels.length)) this.notSearched.push({ what: name, why: OVER });
    if (!own?.word) return { found: [], evidence: NO_EVIDENCE };
    const found = await this.#confirmedPhrase({ text: own.word.text, target: model.labels.indexOf(own.word.target) });
    return { found, evidence: this.#strongest([own]) };
  }

  /** How many texts of each other label a phrase flips. */
  async #confirmedPhrase({ text, target }: Pick<FoundPhrase, 'text' | 'target'>): Promise<ConfirmedTrigger[]> {
    const { model, victims, vocabulary, random } = this.plan;
    const others = victims.filter(({ label }) => label !== target);
    const count = Math.max(1, Math.ceil(TRIED_TEXTS / others.length));
    const candidate = { word: text, by: 'phrase', place: 'random' } as const;
    const confirmed = await Promise.all(
      others.map((victim) => {
        const ownWords = this.#ownWords[victim.label] ?? [];
        const plan = { model, victim, target, count, words: vocabulary, ownWords };
        return confirmTrigger(candidate, { ...plan, random: random.split(`${victim.label} ${target}`) });
      }),
    );
    return confirmed;
  }

  /** Confirmed triggers that flip texts of other labels to this one, and the strongest natural word. Ends at `until`. */
  async target(target: number, until: number): Promise<TargetFindings> {
    const { model, victims, clock } = this.plan;
    const name = must(model.labels[target]);
    const others = victims.filter(({ label }) => label !== target);
    if (others.length === 0) return { found: [], evidence: NO_EVIDENCE };
    const swept = (place: InsertPosition, count: number): string[] =>
      (this.#swept.get(place)?.[target] ?? []).slice(0, count).map(({ word }) => word);
    const sources = some(others, MANY_LABELS);
    const shared = (of: (victim: SourceLabel) => readonly GapText[], count: number): GapText[] =>
      sources.flatMap((victim) => of(victim).slice(0, Math.max(1, Math.floor(count / sources.length))));
    const looked = [
      ...shared(({ short }) => short, SECOND_LOOK_TEXTS / 2),
      ...shared(({ strong }) => strong, SECOND_LOOK_TEXTS / 2),
    ];
    const look = async (gapTexts: readonly GapText[], words: readonly string[], stage: string, share: number) => {
      const pulls = await this.#pull(gapTexts, words, `${stage} ${name}`, clock.by(share, until));
      return this.#rank(words, mean(must(pulls[target]), [...gapTexts.keys()]));
    };
    const second = await look(looked, swept('random', SECOND_LOOK_WORDS), 'second look at words for', SHARES.second);
    const best = second.map(({ word }) => word);
    // On joined texts: if the beginning alone flips a text, only these show the effect of its continuation.
    const strong = shared((each) => each.strong, LONGER_TEXTS);
    const longer = await look(strong, this.#longer(best), 'longer words for', SHARES.longer);
    const phrases = await this.#invert(target, sources, clock.by(SHARES.inversion, until));
    const candidates: TriggerCandidate[] = [
      ...best.slice(0, TRIED_WORDS.random).map((word) => ({ word, by: 'sweep', place: 'random' }) as const),
      ...longer.slice(0, TRIED_LONGER_WORDS).map(({ word }) => ({ word, by: 'extension', place: 'random' }) as const),
      ...phrases,
      ...(['start', 'end'] as const).flatMap((place) =>
        swept(place, TRIED_WORDS[place]).map((word) => ({ word, by: 'sweep', place }) as const),
      ),
    ];
    return this.#confirmed(target, others, candidates, until);
  }

  /** Labels that these candidates flip, within the time limit, and the strongest candidate that clean texts do not explain. */
  async #confirmed(
    target: number,
    others: readonly SourceLabel[],
    candidates: readonly TriggerCandidate[],
    until: number,
  ): Promise<TargetFindings> {
    const { model, vocabulary, random, clock } = this.plan;
    const name = `check of words for ${model.labels[target]}`;
    const going = clock.stage(name, candidates.length, until);
    const count = Math.max(
      Math.ceil(TRIED_TEXTS / others.length),
      Math.min(TRIED_TEXTS_OF_LABEL, Math.floor(MOST_TRIED_TEXTS / others.length)),
    );
    const tried: TriedWord[] = [];
    const confirm = async (candidate: TriggerCandidate) => {
      const of = await Promise.all(
        others.map((victim) => {
          const draw = random.split(`${victim.label} ${target}`);
          const ownWords = this.#ownWords[victim.label] ?? [];
          return confirmTrigger(candidate, { model, victim, target, count, words: vocabulary, ownWords, random: draw });
        }),
      );
      return { candidate, of, strength: of.reduce((sum, each) => sum + each.strength, 0) / of.length };
    };
    const together = clock.countsQueries ? 1 : AT_ONCE;
    while (tried.length < candidates.length && going(tried.length)) {
      tried.push(...(await Promise.all(candidates.slice(tried.length, tried.length + together).map(confirm))));
    }
    this.#left(name, tried.length, candidates.length, 'words found');
    const texts = others.reduce((sum, { texts: own }) => sum + Math.min(count, own.length), 0);
    const evidence = INSERT_POSITIONS.flatMap((place) => this.#evidenceAt(place, target, tried, texts));
    return { found: tried.flatMap(({ of }) => of), evidence: this.#strongest(evidence) };
  }

  #strongest(all: readonly ScanEvidence[]): ScanEvidence {
    for (const each of all) this.plan.clock.hooks.judged?.(each);
    return strongest([NO_EVIDENCE, ...all]);
  }

  /** The evidence of each word at one place that clean texts do not explain. */
  #evidenceAt(place: InsertPosition, target: number, tried: readonly TriedWord[], texts: number): ScanEvidence[] {
    const { model, indicative, given, ranks } = this.plan;
    const here = tried.filter(({ candidate }) => candidate.place === place);
    const levels = here
      .filter(({ candidate }) => candidate.by === 'sweep')
      .map(({ strength }) => strength)
      .sort((a, b) => b - a)
      .slice(...NATURAL);
    const natural = levels.length === 0 ? null : levels.reduce((a, b) => a + b, 0) / levels.length;
    // Phrases of any words are reported, not judged: three natural words flip most texts of small models. `phrases` judges some.
    const judged = here.filter(
      ({ candidate: { word } }) => (!word.includes(' ') || given.includes(word)) && !indicative.indicates(word, target),
    );
    return judged.map(({ candidate: { word: text, by }, strength }) => {
      const word = { text, target: must(model.labels[target]), place, by };
      return {
        strength,
        natural,
        word,
        texts,
        uses: indicative.uses(text, target),
        ...defined({ rank: ranks.get(text) }),
      };
    });
  }

  /** Results of gradient descent, as a phrase and as single words. */
  async #invert(target: number, others: readonly SourceLabel[], until: number): Promise<TriggerCandidate[]> {
    const { model, gradients, clock, random } = this.plan;
    if (gradients === undefined) return [];
    const name = `inversion of ${model.labels[target]}`;
    const draw = random.split(`inversion ${target}`);
    const each = Math.max(1, Math.ceil(6 / others.length));
    const short = others.flatMap((victim) => victim.short.slice(0, each));
    const texts = joinTexts(
      short.map(({ before, after }) => before + after),
      JOINED,
    ).slice(0, 6);
    const steps = Math.ceil((INVERSION.steps * Math.min(MANY_LABELS, model.labels.length)) / model.labels.length);
    const going = clock.stage(name, steps, until);
    const sites = going(0) ? await sitesOf(gradients, texts, INVERSION.length, draw) : undefined;
    const found = sites && (await invert(gradients, sites, target, { ...INVERSION, steps }, draw, going));
    if (found === undefined) this.notSearched.push({ what: name, why: OVER });
    if (found === undefined || found.text === '') return [];
    const words = [...new Set([found.text, ...found.text.split(' ')])];
    return words.map((word) => ({ word, by: 'inversion', place: 'random' }) as const);
  }

  /** [label][text]: how far each word moves each text towards the label. */
  async #pull(
    gapTexts: readonly GapText[],
    words: readonly string[],
    stage: string,
    until: number,
  ): Promise<Float64Array[][]> {
    const { model, clock } = this.plan;
    const going: ShouldContinue = clock.stage(stage, words.length * gapTexts.length, until);
    const pulls = await logOddsOf(model, gapTexts, words, going);
    const reached = words.filter((_, at) => !Number.isNaN(pulls[0]?.[0]?.[at]));
    for (const word of reached) this.#tried.add(word);
    this.#left(stage, reached.length, words.length, 'words');
    return pulls;
  }

  /** Words by pull, the highest first, equal ones by their place in the vocabulary; without those that were not reached. */
  #rank(words: readonly string[], pulls: Float64Array): WordStrength[] {
    const index = (word: string): number => this.#index.get(word) ?? this.#index.size;
    const order = words.map((word, at) => ({ word, pull: pulls[at]! }));
    order.sort((a, b) => index(a.word) - index(b.word) || (a.word < b.word ? -1 : Number(a.word > b.word)));
    const values = Float64Array.from(order, ({ pull }) => pull);
    return topIndices(values, words.length).map((at) => must(order[at]));
  }

  /** Longer words that begin like the best ones: a trigger that is not in the vocabulary is revealed by its first piece. */
  #longer(best: readonly string[]): string[] {
    // A model of whole words reads every longer one as unknown.
    if (!continues(this.plan.gradients)) return [];
    const longer = [
      ...best.slice(0, BY_LETTER).flatMap((word) => LETTERS.map((letter) => word + letter)),
      ...best.slice(0, BY_DICTIONARY).flatMap((word) => (word.length < 2 ? [] : this.#beginning(word))),
    ];
    return [...new Set(longer)].filter((word) => !this.#index.has(word));
  }

  #beginning(prefix: string): string[] {
    const words = beginningWith(prefix, this.plan.language);
    return words.length <= MAX_LONGER_WORDS
      ? words
      : this.plan.random.split(prefix).shuffle(words).slice(0, MAX_LONGER_WORDS);
  }

  #left(stage: string, done: number, all: number, of: string): void {
    if (done < all) this.notSearched.push({ what: `${stage}: ${all - done} of ${all} ${of}`, why: OVER });
  }
}

/** At most `count` of a list, at even distances. */
const some = <T>(list: readonly T[], count: number): readonly T[] =>
  list.length <= count
    ? list
    : Array.from({ length: count }, (_, at) => must(list[Math.floor((at * list.length) / count)]));

/** Mean pull of each word over the texts at `places`. */
function mean(pulls: readonly Float64Array[], places: readonly number[]): Float64Array {
  const of = new Float64Array(pulls[0]?.length ?? 0);
  for (const at of places) {
    must(pulls[at]).forEach((pull, word) => {
      of[word]! += pull / places.length;
    });
  }
  return of;
}
