/**
 * Standard, words: every synonym attack in turn, within one limit, until one succeeds: the worst case of a rewording.
 *
 * Threat: someone who may query as often as they like and rewords a text until the prediction flips.
 * Example: "a risky film about two funny movies" -> "a dangerous film about two humorous movies"
 * Readable because: at most one word in four changes, each into a synonym of the intended meaning, correctly inflected. Opposites and
 * function words are excluded.
 * Paper: none. The cascade of attacks of increasing strength, each on the examples that the former ones left, follows Francesco Croce and
 * Matthias Hein 2020, "Reliable evaluation of adversarial robustness with an ensemble of diverse parameter-free attacks",
 * https://arxiv.org/abs/2003.01690
 * Differs: theirs attacks images by gradients; here most stages query scores, one queries labels only, and some use the gradients of models
 * that have them. Unnecessary edits of a success are reverted. The last stage is a beam search of width 8 over all synonyms of all words.
 */
import { beam, cascadeAttack, maxFraction, presetAttack, swapSynonyms } from '../src/plugin.js';
import { alzantot } from './alzantot.js';
import { hardLabel } from './hard-label.js';
import { pwws } from './pwws.js';
import { synonym } from './synonym.js';
import { textfooler } from './textfooler.js';

const beamSearch = presetAttack({
  name: 'synonym-beam',
  summary: 'A beam search over all synonyms.',
  words: () => swapSynonyms(10, true),
  search: () => beam(8),
});

export const standardWords = cascadeAttack({
  name: 'standard-words',
  version: 'standard@2',
  level: 'word',
  summary: 'The worst case of a rewording by synonyms: several attacks in turn. "a risky bet" -> "a dangerous bet".',
  // In the order of docs/research/standard.md: flips per query, the strongest search last.
  stages: [
    { plugin: synonym, options: { ranking: 'gradient' } },
    { plugin: hardLabel, restarts: 1 },
    { plugin: alzantot, options: { population: 20, generations: 10 } },
    { plugin: synonym },
    { plugin: textfooler },
    { plugin: pwws },
    { plugin: beamSearch },
  ],
  limits: [maxFraction(0.25)],
});
