/**
 * @file `robust-text/shield`: undoes the disguises of a text before a guard reads it. Without dependencies, for Node, browsers and edge
 * workers. The defences `shield`, `unicode` and `join-letters` are made of the same parts.
 */
export { type HiddenText, type RescanOptions, rescan } from './rescan.js';
export type { ShieldChange } from './revised-text.js';
export {
  defaultParts,
  type Shielded,
  type ShieldOptions,
  type ShieldPart,
  shield,
  shieldParts,
} from './shield.js';
export { ShieldStream } from './shield-stream.js';
export type { SegmentLetters } from './spelled.js';
