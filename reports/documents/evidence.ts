/** @file Entries of public catalogues that a card is evidence toward. */
import { type GuardCard, note, type Section } from '../../src/plugin.js';

export const evidenceSection = ({ evidenceToward }: Pick<GuardCard, 'evidenceToward'>): Section => ({
  id: 'evidence',
  title: 'Evidence toward',
  blocks: [
    {
      kind: 'facts',
      heads: ['id', 'entry'],
      facts: evidenceToward.map(({ id, title, catalogue }) => [id, `${title} (${catalogue})`]),
    },
    note('A run is evidence toward these entries. It proves conformity with none of them.'),
  ],
});
