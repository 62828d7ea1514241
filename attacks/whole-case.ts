/**
 * Whole case: writes the whole text in capitals, in lower case, in Title Case, or with inverted case.
 *
 * Threat: no attacker is needed: some people shout, some never use capitals, headlines use many.
 * Example: "A lovely film." -> "A LOVELY FILM."
 * Readable because: only the case of letters changes.
 * Paper: none; uppercase, lowercase and title case are among Giskard's text perturbations; https://github.com/Giskard-AI/giskard
 * Differs: from case-flip, which searches for the most effective letters; here the whole text changes, and each variant is tried once.
 */
import { caseOf } from '../src/language/character-edits.js';
import { inOrder, type Language, searchAttack } from '../src/plugin.js';

function cases(language: Language): readonly ((word: string) => string)[] {
  const { upper, lower } = caseOf(language);
  const toTitleCase = (word: string) => lower(word).replace(/\p{L}/u, upper);
  /** With Caps Lock on by mistake: "a LOVELY FILM". */
  const invertCase = (text: string) =>
    text.replaceAll(/\p{L}/gu, (letter) => (letter === lower(letter) ? upper(letter) : lower(letter)));
  return [upper, lower, toTitleCase, invertCase];
}

export const wholeCase = searchAttack({
  name: 'whole-case',
  level: 'sentence',
  needs: 'labels',
  summary: 'Writes the whole text in capitals, in lower case or as a title: "A LOVELY FILM.".',
  edits: () => ({
    name: 'the whole text in another case',
    bounds: ['only the case of letters'],
    whole: true,
    edits: (draft, at, _, { language }) =>
      cases(language).map((written) => draft.replaceAll(new Map(at.map((slot) => [slot, written(draft.word(slot))])))),
  }),
  constraints: () => [],
  search: () => inOrder,
});
