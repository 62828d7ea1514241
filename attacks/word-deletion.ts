/**
 * Word deletion: leaves out the words that matter most, a few in the text.
 *
 * Threat: nobody at all, only haste: messages that lost a word, transcripts with gaps, cut quotations.
 * Example: "a sometimes tedious film" -> "a tedious film"
 * Readable because: at most one word in five goes; words of grammar stay, "not" and "no" among them, and so do opinions: a word
 * that is left out must not be an adjective or an adverb unless `any` allows it.
 * Paper: none; a deletion is the probe of Jiwei Li, Will Monroe and Dan Jurafsky, "Understanding Neural Networks through
 * Representation Erasure", 2016; https://arxiv.org/abs/1612.08220
 * Differs: from input-reduction, which wants the same prediction from less; here the prediction must turn.
 */
import { keepDescriptions, keepStopWords, leaveOut, maxFraction, noRepeat, searchAttack, z } from '../src/plugin.js';

const bounds = {
  maxFraction: z.number().gt(0).max(1).default(0.2).describe('largest share of the words left out'),
  any: z.boolean().default(false).describe('leave out adjectives and adverbs too, which often carry the opinion'),
};

export const wordDeletion = searchAttack({
  name: 'word-deletion',
  level: 'word',
  summary: 'Leaves out words, those that matter most first: "a story of great charm" -> "a of great charm".',
  bounds,
  ranking: 'delete',
  edits: () => leaveOut,
  constraints: ({ maxFraction: fraction, any }) => [
    noRepeat,
    keepStopWords,
    maxFraction(fraction),
    ...(any ? [] : [keepDescriptions]),
  ],
});
