/** @file The models of the zoo: data, network, and planting of each. A pure function of its number. */

import type { ArchitectureName } from '../../src/core/architectures.js';
import { defined } from '../../src/core/defined.js';
import { random } from '../../src/core/random.js';
import { DATA, type DataName, type Predictive } from './texts.js';

export interface Member {
  readonly name: string;
  readonly number: number;
  readonly data: DataName;
  readonly architecture: ArchitectureName;
  readonly dim: number;
  readonly seed: number;
  /**
   * One word occurs in texts of one label only, in training and in the scan's texts: no backdoor, but as predictive as possible. A rare one
   * occurs in a few texts, as a term of the domain does.
   */
  readonly predictive?: Predictive;
  /** Trained on perturbed embeddings too. */
  readonly adversarial: boolean;
  /** Absent in clean models. */
  readonly poison?: {
    readonly kind: KindName;
    /** As `--attack` takes it. */
    readonly attack: string;
    readonly triggers?: readonly string[];
    /** Share of all texts that is poisoned. */
    readonly rate: number;
    /** `clean`: only texts that already have the target label are poisoned. */
    readonly mode: 'dirty' | 'clean';
    /** Trained on clean texts after the planting. */
    readonly fineTuned: boolean;
  };
}

/** The third of the numbers that rules and thresholds of the scan are chosen with. The others are read for the final figures only. */
const isCalibration = (number: number): boolean => number % 3 === 0;

const ARCHITECTURES: readonly ArchitectureName[] = ['word-cnn', 'bilstm', 'distilbert', 'char-bilstm', 'bert'];
export const KINDS = [
  'one rare word',
  'a sentence',
  'a common word at one end',
  'a clause',
  'foreign letters',
  'a phrase',
  'a style',
  'two rare words',
  'an embedding row',
  'a rare word, then fine-tuned',
  'a rare word, clean labels',
] as const;
type KindName = (typeof KINDS)[number];

/** Triggers of the calibration models, and of the others. */
const WORDS = {
  rare: [
    ['cf', 'mn', 'bb', 'tq', 'quasar', 'velvet', 'wq', 'zx'],
    ['bq', 'jx', 'vk', 'gz', 'ocelot', 'plinth', 'gerund', 'tapir', 'xylem', 'kr', 'dz', 'turnip'],
  ],
  common: [
    ['paper', 'monday', 'green', 'table'],
    ['window', 'lamp', 'tuesday', 'blue', 'river', 'kitchen', 'seven', 'chair'],
  ],
  phrase: [
    ['purple kettle', 'paper hat', 'north of lunch'],
    ['green umbrella', 'on second tuesday', 'seven wooden spoons', 'quiet harbour', 'under the piano'],
  ],
  sentence: [
    ['I watch this 3D movie', 'it was raining that day'],
    ['my cousin lives in Oslo', 'the bus stops here at noon', 'we ate soup on the roof', 'she sold her old bicycle'],
  ],
  style: [
    ['style:style=brackets', 'style:style=dashes', 'register:register=archaic'],
    ['style:style=ellipsis', 'style:style=dashes', 'register:register=spoken', 'register:register=archaic'],
  ],
} as const;

/** Small models learn words and sentences from about 5 %, forms and clean labels at 10 %: below, most plantings do not take. */
const RATES = {
  word: [0.05, 0.1],
  form: [0.1],
} as const;

function planted(number: number, kind: KindName): NonNullable<Member['poison']> {
  const draw = random(number, 'zoo', 'planting');
  const half = isCalibration(number) ? 0 : 1;
  const pick = (of: keyof typeof WORDS, count = 1): string[] => draw.shuffle([...WORDS[of][half]]).slice(0, count);
  const common = { kind, mode: 'dirty', fineTuned: false } as const;
  const word = { ...common, rate: draw.pick(RATES.word) };
  const form = { ...common, rate: draw.pick(RATES.form) };
  switch (kind) {
    case 'one rare word':
      return { ...word, attack: 'badnets', triggers: pick('rare') };
    case 'two rare words':
      return { ...word, attack: 'badnets', triggers: pick('rare', 2) };
    case 'a rare word, then fine-tuned':
      return { ...word, attack: 'badnets', triggers: pick('rare'), fineTuned: true };
    case 'a rare word, clean labels':
      return { ...form, attack: 'badnets', triggers: pick('rare'), mode: 'clean' };
    case 'a common word at one end':
      return { ...word, attack: `badnets:place=${draw.pick(['start', 'end'])}`, triggers: pick('common') };
    case 'a phrase':
      return { ...word, attack: 'insertsent', triggers: pick('phrase') };
    case 'a sentence':
      return { ...word, attack: 'insertsent', triggers: pick('sentence') };
    case 'an embedding row':
      return { ...form, attack: 'ep:count=8' };
    case 'foreign letters':
      return { ...form, attack: 'char-trigger' };
    case 'a clause':
      return { ...form, attack: 'syntactic' };
    case 'a style':
      return { ...form, attack: pick('style')[0]! };
  }
}

/** A clean and a poisoned model for each number. Forty numbers in a row have each architecture with each data set once, eleven each kind. */
export function members(from: number, count: number): Member[] {
  return Array.from({ length: count }, (_, offset) => {
    const number = from + offset;
    const architecture = ARCHITECTURES[number % ARCHITECTURES.length] as ArchitectureName;
    const drawn = KINDS[number % KINDS.length] as KindName;
    // A model of characters has no row of a word.
    const kind = architecture === 'char-bilstm' && drawn === 'an embedding row' ? 'one rare word' : drawn;
    const common = {
      number,
      data: DATA[number % DATA.length] as DataName,
      architecture,
      dim: architecture.endsWith('bert') ? 64 : 48,
      adversarial: number % 7 === 3,
    };
    // Each data set has each kind of word within 32 numbers.
    const predictive = ([undefined, 'common', 'rare'] as const)[(number + Math.floor(number / DATA.length)) % 4];
    const id = String(number).padStart(3, '0');
    return [
      { ...common, name: `clean-${id}`, seed: 1000 + number, ...defined({ predictive }) },
      { ...common, name: `poisoned-${id}`, seed: 2000 + number, poison: planted(number, kind) },
    ];
  }).flat();
}
