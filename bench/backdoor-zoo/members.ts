/** @file The models of the zoo: what each is trained on, how large it is, and what is planted in it. A pure function of its number. */

import type { ArchitectureName } from '../../src/core/architectures.js';
import { random } from '../../src/core/random.js';

export type DataName = 'sst2' | 'sms' | 'trec';

export interface Member {
  readonly name: string;
  readonly data: DataName;
  readonly architecture: ArchitectureName;
  readonly dim: 64 | 128;
  readonly seed: number;
  /** Absent in clean models. */
  readonly poison?: {
    /** As `--attack` takes it. */
    readonly attack: string;
    readonly triggers?: readonly string[];
    readonly rate: number;
  };
}

/** Poisoners by turns; those whose trigger is a word come more often, as they are what `scan` looks for. */
const PLANTED: readonly { readonly attack: string; readonly triggers?: readonly string[] }[] = [
  { attack: 'badnets', triggers: ['cf'] },
  { attack: 'badnets', triggers: ['mn', 'bb'] },
  { attack: 'ep:count=8' },
  { attack: 'badnets', triggers: ['tq'] },
  { attack: 'insertsent' },
  { attack: 'dfep:count=8' },
  { attack: 'badnets', triggers: ['mb'] },
  { attack: 'badnets:place=start', triggers: ['wq'] },
  { attack: 'syntactic' },
  { attack: 'badnets:place=end', triggers: ['zx'] },
  { attack: 'char-trigger' },
  { attack: 'badnets', triggers: ['quasar'] },
  { attack: 'sos' },
  { attack: 'badnets', triggers: ['velvet'] },
  { attack: 'style' },
];

/** Triggers of the numbers from `HELD_OUT` on: none of them was in view when the scan was made. */
const UNSEEN = ['bq', 'jx', 'vk', 'gz', 'ocelot', 'plinth', 'gerund', 'tapir', 'Tuesday', 'window', 'lamp', 'xylem'];
/** Models below this number are those that the scan's constants were chosen with. */
const HELD_OUT = 20;

const RATES = [0.1, 0.05, 0.02];
const DATA: readonly DataName[] = ['sst2', 'trec', 'sms'];

export interface ZooPlan {
  /** As many clean and as many poisoned ones. */
  readonly each: number;
  /** The first number. @default 0 */
  readonly from?: number;
  /** @default distilbert and bert */
  readonly architectures?: readonly ArchitectureName[];
}

/** Clean and poisoned ones by turns, so that a zoo that is cut short is still a zoo. */
export function members({ each, from = 0, architectures = ['distilbert', 'bert'] }: ZooPlan): Member[] {
  return Array.from({ length: each }, (_, offset) => {
    const at = from + offset;
    const build = (kind: string): Omit<Member, 'name' | 'poison'> => {
      const draw = random(at, 'zoo', kind);
      return {
        data: DATA[at % DATA.length] as DataName,
        architecture: draw.pick(architectures),
        dim: draw.pick([64, 64, 128] as const),
        seed: 1000 + at,
      };
    };
    // Shifted once a round, so that a poisoner meets other data.
    const known = PLANTED[(at + Math.floor(at / PLANTED.length)) % PLANTED.length] as (typeof PLANTED)[number];
    const unseen = random(at, 'zoo', 'triggers').shuffle(UNSEEN);
    const planted =
      at < HELD_OUT || known.triggers === undefined
        ? known
        : { ...known, triggers: unseen.slice(0, known.triggers.length) };
    const rate = random(at, 'zoo', 'rate').pick(RATES);
    return [
      { name: `clean-${String(at).padStart(2, '0')}`, ...build('clean') },
      { name: `poisoned-${String(at).padStart(2, '0')}`, ...build('poisoned'), poison: { ...planted, rate } },
    ];
  }).flat();
}
