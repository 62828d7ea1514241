/**
 * Standard, characters: every character attack in turn, within one limit, until one succeeds: the worst case of misspelt words.
 *
 * Threat: someone who may query as often as they like, and wants past a filter with a text whose words a reader still recognises.
 * Example: "an affecting journey" -> "an affectnig journey"
 * Readable because: at most one edit in eight characters, and every word keeps its first and last letter and all but one of the letters between.
 * Paper: none. The cascade of attacks of increasing strength, each on the examples that the former ones left, follows Francesco Croce and
 * Matthias Hein 2020, "Reliable evaluation of adversarial robustness with an ensemble of diverse
 * parameter-free attacks", https://arxiv.org/abs/2003.01690
 * Differs: theirs attacks images by gradients; here the attacks query scores or labels. Unnecessary edits of a success are reverted. The
 * last stage tries every character at the 20 most promising positions of the whole text, each round.
 */
import { cascadeAttack, maxEditShare, readableWords } from '../src/plugin.js';
import { charmer } from './charmer.js';
import { deepwordbug } from './deepwordbug.js';
import { humanTypos } from './human-typos.js';
import { pruthi } from './pruthi.js';
import { textbugger } from './textbugger.js';

export const standardCharacters = cascadeAttack({
  name: 'standard-characters',
  version: 'standard@1',
  level: 'character',
  summary: 'The worst case of misspelt words that a reader recognises: five attacks in turn. "journey" -> "jorney".',
  stages: [
    { plugin: deepwordbug, restarts: 2 },
    { plugin: textbugger },
    { plugin: humanTypos, options: { maxFraction: 1 } },
    { plugin: pruthi, options: { maxWords: 2 } },
    {
      plugin: charmer,
      options: { alphabet: 'letters', keepEnds: true, ranking: 'positions', halving: 0, maxEdits: 5 },
    },
  ],
  limits: [maxEditShare(8), readableWords],
});
