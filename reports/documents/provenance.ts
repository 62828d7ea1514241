/** @file What a document's figures were made from. */
import type { Block, Inline, Overridden, Section } from '../../src/plugin.js';
import { overrideText } from '../overrides.js';

/** The environment variables that decided settings, as a fact; no fact where there are none. */
export const overrideFacts = (made: Overridden | undefined): (readonly [Inline, Inline])[] =>
  made?.overrides?.length ? [['Set by environment variables', { lines: made.overrides.map(overrideText) }]] : [];

/** `further`: what stands below the facts. */
export const provenanceSection = (
  facts: readonly (readonly [Inline, Inline])[],
  further: readonly Block[] = [],
): Section => ({
  id: 'provenance',
  title: 'Provenance',
  full: true,
  blocks: [{ kind: 'facts', heads: ['what', 'which'], facts }, ...further],
});
