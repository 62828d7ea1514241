/** @file Inputs of a document's figures. */
import type { Overridden } from '../../src/core/override.js';
import type { Block, Inline, Section } from '../../src/results/report/document.js';
import { overrideText } from '../overrides.js';

/** The environment variables that decided settings, as a fact; empty without such variables. */
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
