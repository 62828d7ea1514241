/**
 * Standard, characters: every character attack in turn, within one limit, until one succeeds: the worst case of misspelt words.
 *
 * Threat: someone who may query as often as they like, and wants past a filter with a text whose words a reader still recognises.
 * Example: "an affecting journey" -> "an affectnig journey"
 * Readable because: at most one edit in eight characters, and every word keeps its first and last letter and all but one of the letters between.
 * Paper: none. The cascade of attacks of increasing strength, each on the examples that the former ones left, follows Francesco Croce and
 * Matthias Hein 2020, "Reliable evaluation of adversarial robustness with an ensemble of diverse
 * parameter-free attacks", https://arxiv.org/abs/2003.01690
 * Differs: theirs attacks images by gradients; here most stages query scores, one queries labels only, and
 * some use the gradients of models that have them. Unnecessary edits of a success are reverted. The last stage is a beam search over every
 * readable edit of every word.
 */
import { maxEditShare } from '../src/constraints/edits.js';
import {
  anyEdit,
  beam,
  boundary,
  cascadeAttack,
  dropped,
  type EvasionPlugin,
  graphemesOf,
  inserted,
  keepStopWords,
  type Language,
  languagePart,
  mistyped,
  noRepeat,
  type Random,
  readableWords,
  searchAttack,
  swapped,
  swapWords,
  typedBefore,
} from '../src/plugin.js';
import { charmer } from './charmer.js';
import { deepwordbug } from './deepwordbug.js';
import { humanTypos } from './human-typos.js';
import { mergeWords } from './merge-words.js';
import { textbugger } from './textbugger.js';

const editsOf = ({ transformation }: EvasionPlugin) =>
  transformation === undefined ? [] : [transformation.create(transformation.options.parse({}))];

/** Every swap, deletion, substitution and insertion of a letter between the first and the last, and every split. */
function* everyEdit(word: string, _: Random, language: Language): Iterable<string> {
  const alphabet = languagePart(language, 'letters').filter((letter) => letter === letter.toLowerCase());
  const letters = graphemesOf(word);
  const last = letters.length - 1;
  for (let at = 1; at <= last; at++) {
    yield inserted(letters, at, ' ');
    for (const letter of alphabet) yield typedBefore(letters, at, letter);
    if (at === last) return;
    if (at + 1 < last) yield swapped(letters, at);
    yield dropped(letters, at);
    for (const letter of alphabet) yield mistyped(letters, at, letter);
  }
}

const charactersBeam = searchAttack({
  name: 'characters-beam',
  level: 'character',
  summary: 'A beam search over all readable edits of characters.',
  edits: () =>
    anyEdit('any edit within a word', [swapWords('one letter', everyEdit, ['letters']), ...editsOf(mergeWords)]),
  // Stop words too: the limits of the cascade allow their edits, and the answer of a model of words can depend on them.
  constraints: () => [noRepeat],
  search: () => beam(2),
});

/** By labels alone: many typos first, then only those that are necessary. */
const typosBoundary = searchAttack({
  name: 'typos-boundary',
  level: 'character',
  needs: 'labels',
  summary: 'A search along the decision boundary over typos.',
  edits: () => anyEdit('a typo', [textbugger, humanTypos].flatMap(editsOf)),
  constraints: () => [noRepeat, keepStopWords],
  search: () => boundary(5),
});

export const standardCharacters = cascadeAttack({
  name: 'standard-characters',
  version: 'standard@2',
  level: 'character',
  summary: 'The worst case of misspelt words that a reader recognises: several attacks in turn. "journey" -> "jorney".',
  // In the order of docs/research/standard.md: flips per query, the strongest search last.
  stages: [
    { plugin: deepwordbug, restarts: 1 },
    { plugin: textbugger, restarts: 2 },
    { plugin: typosBoundary },
    { plugin: humanTypos, options: { maxFraction: 1 } },
    { plugin: charmer, options: { alphabet: 'letters', keepEnds: true, ranking: 'gradient', words: 3, maxEdits: 5 } },
    { plugin: charactersBeam },
  ],
  limits: [maxEditShare(8), readableWords],
});
