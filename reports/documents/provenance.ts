/** @file What a document's figures were made from. */
import type { Block, Inline, Section } from '../../src/plugin.js';

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
