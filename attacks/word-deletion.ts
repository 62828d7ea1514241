/**
 * Word deletion: removes a few of the most important words.
 *
 * Threat: no attacker is needed: hasty messages with a missing word, transcripts with gaps, shortened quotations.
 * Example: "a sometimes tedious film" -> "a tedious film"
 * Readable because: at most one word in five is removed. Function words and negations stay, and so do opinions:
 * a removed word must not be an adjective or an adverb unless `any` allows it.
 * Paper: none; a deletion is the probe of Jiwei Li, Will Monroe and Dan Jurafsky, "Understanding Neural Networks through
 * Representation Erasure", 2016; https://arxiv.org/abs/1612.08220
 * Differs: from input-reduction, which keeps the prediction with fewer words; here the prediction must flip.
 */
import { keepDenials, keepDescriptions } from '../src/constraints/words.js';
import { keepStopWords, leaveOut, maxFraction, noRepeat, searchAttack, z } from '../src/plugin.js';

const bounds = {
  maxFraction: z.number().gt(0).max(1).default(0.2).describe('largest share of the words left out'),
  any: z.boolean().default(false).describe('also remove adjectives and adverbs, which often carry the opinion'),
};

export const wordDeletion = searchAttack({
  name: 'word-deletion',
  level: 'word',
  summary: 'Removes words, the most important first: "a story of great charm" -> "a of great charm".',
  bounds,
  ranking: 'delete',
  edits: () => leaveOut,
  constraints: ({ maxFraction: fraction, any }) => [
    noRepeat,
    keepStopWords,
    keepDenials,
    maxFraction(fraction),
    ...(any ? [] : [keepDescriptions]),
  ],
});
