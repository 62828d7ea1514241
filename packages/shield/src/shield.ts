/** @file The shield: its parts, in the order in which they undo disguises. */
import { accents, bidi, compatibility, invisible, stackedMarks } from './letters.js';
import { lookAlikes } from './look-alikes.js';
import { type Replacement, RevisedText, type ShieldChange } from './revised-text.js';
import { alternatingCase, leet, marks, repeats, type SegmentLetters, spacing } from './spelled.js';

/** Parts in the order in which they are applied, and whether they are on by default. */
const PARTS = {
  bidi: { apply: bidi, on: true },
  invisible: { apply: invisible, on: true },
  compatibility: { apply: compatibility, on: true },
  'stacked-marks': { apply: stackedMarks, on: true },
  'look-alikes': { apply: lookAlikes, on: true },
  accents: { apply: accents, on: false },
  spacing: { apply: spacing(), on: true },
  marks: { apply: marks, on: true },
  leet: { apply: leet, on: true },
  repeats: { apply: repeats, on: false },
  case: { apply: alternatingCase, on: true },
} as const satisfies Record<string, { apply(text: string): Replacement[]; readonly on: boolean }>;

/** Name of a part of the shield. */
export type ShieldPart = keyof typeof PARTS;

/** Names of all parts, in the order in which they are applied. */
export const shieldParts = Object.keys(PARTS) as readonly ShieldPart[];

/** The parts that are on by default: each changes at most one in 1,000 clean texts in a way that a reader sees. */
export const defaultParts: readonly ShieldPart[] = shieldParts.filter((name) => PARTS[name].on);

export interface ShieldOptions {
  /** @default defaultParts */
  readonly parts?: readonly ShieldPart[];
  /** Cuts spaced-out letters into words, or leaves them (undefined). @default by 8,000 everyday English words */
  readonly segment?: SegmentLetters;
}

export interface Shielded {
  /** The clean text. */
  readonly text: string;
  /** Everything that was undone, in the order of the text. */
  readonly changes: readonly ShieldChange[];
  /** Offset in the original of an offset in `text`, both in UTF-16 code units. */
  map(offset: number): number;
}

/** One disguise may hide another: the parts are applied again until nothing changes, at most as often as this. */
const MOST_ROUNDS = 8;

/** The text as a reader would see or say it. Takes time linear in the text. Throws RangeError for what is no part. */
export function shield(text: string, options: ShieldOptions = {}): Shielded {
  const chosen = partsOf(options);
  const revised = new RevisedText(text);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const changed = chosen.map(([name, apply]) => revised.apply(apply(revised.text), name));
    if (!changed.includes(true)) break;
  }
  return { text: revised.text, changes: revised.changes(), map: revised.map };
}

function partsOf({ parts = defaultParts, segment }: ShieldOptions): [ShieldPart, (text: string) => Replacement[]][] {
  const unknown = parts.find((name) => !Object.hasOwn(PARTS, name));
  if (unknown !== undefined)
    throw new RangeError(`shield: expected a part (${shieldParts.join(', ')}), got "${unknown}"`);
  return shieldParts
    .filter((name) => parts.includes(name))
    .map((name) => [name, name === 'spacing' && segment ? spacing(segment) : PARTS[name].apply]);
}
