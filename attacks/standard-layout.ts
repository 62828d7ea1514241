/**
 * Standard, layout: every attack that leaves the letters as they are read, in turn, until one succeeds.
 *
 * Threat: someone who may query as often as they like and disguises words by blanks, case, accents, look-alikes and invisible characters.
 * Example: "an affecting journey" -> "an a f f e c t i n g journey"
 * Readable because: each word keeps its letters, as a reader sees them; a normaliser can undo every edit.
 * Paper: none. The cascade of attacks of increasing strength, each on the examples that the former ones left, follows Francesco Croce and
 * Matthias Hein 2020, "Reliable evaluation of adversarial robustness with an ensemble of diverse
 * parameter-free attacks", https://arxiv.org/abs/2003.01690
 * Differs: theirs attacks images by gradients; here the stages query scores or labels. Unnecessary edits of a success are reverted. The last stage mixes all edits of words in one
 * beam search.
 */
import {
  anyEdit,
  beam,
  boundary,
  cascadeAttack,
  type EvasionPlugin,
  maxFraction,
  noRepeat,
  readableWords,
  searchAttack,
} from '../src/plugin.js';
import { bidi } from './bidi.js';
import { caseFlip } from './case-flip.js';
import { diacritics } from './diacritics.js';
import { homoglyphs } from './homoglyphs.js';
import { letterStyles } from './letter-styles.js';
import { mergeWords } from './merge-words.js';
import { punctuation } from './punctuation.js';
import { splitWords } from './split-words.js';
import { wholeCase } from './whole-case.js';
import { zeroWidth } from './zero-width.js';

const ofWords = [splitWords, mergeWords, homoglyphs, zeroWidth, caseFlip, diacritics, punctuation];

const editsOf = ({ transformation }: EvasionPlugin) =>
  transformation === undefined ? [] : [transformation.create(transformation.options.parse({}))];

const mixedBeam = searchAttack({
  name: 'layout-beam',
  level: 'character',
  summary: 'A beam search over all edits of the layout.',
  edits: () => anyEdit('layout of a word changed', ofWords.flatMap(editsOf)),
  constraints: () => [noRepeat, maxFraction(0.5)],
  search: () => beam(3),
});

/** By labels alone: many edits first, then only those that are necessary. */
const mixedBoundary = searchAttack({
  name: 'layout-boundary',
  level: 'character',
  needs: 'labels',
  summary: 'A search along the decision boundary over all edits of the layout.',
  edits: () => anyEdit('layout of a word changed', ofWords.flatMap(editsOf)),
  constraints: () => [noRepeat, maxFraction(0.5)],
  search: () => boundary(5),
});

const halfOf = (plugin: EvasionPlugin) => ({ plugin, options: { maxFraction: 0.5 } });
const allOf = (plugin: EvasionPlugin) => ({ plugin, options: { maxWords: 1000 } });

export const standardLayout = cascadeAttack({
  name: 'standard-layout',
  version: 'standard@2',
  level: 'character',
  summary:
    'The worst case of disguised words: several attacks in turn on blanks, case, accents and look-alikes. "good" -> "g o o d".',
  // In the order of docs/research/standard.md: flips per query, the strongest search last.
  stages: [
    halfOf(splitWords),
    allOf(bidi),
    { plugin: mixedBoundary, restarts: 1 },
    halfOf(mergeWords),
    allOf(homoglyphs),
    { plugin: wholeCase },
    allOf(zeroWidth),
    halfOf(punctuation),
    { plugin: letterStyles },
    halfOf(caseFlip),
    halfOf(diacritics),
    { plugin: mixedBeam },
  ],
  limits: [readableWords],
});
