/**
 * Whole case: writes the whole text in capitals, in lower case, in Title Case, or with inverted case.
 *
 * Threat: no attacker is needed: some people shout, some never use capitals, headlines use many.
 * Example: "A lovely film." -> "A LOVELY FILM."
 * Readable because: only the case of letters changes.
 * Paper: none; uppercase, lowercase and title case are among Giskard's text perturbations;
 * https://github.com/Giskard-AI/giskard
 * Differs: from case-flip, which searches for the most effective letters; here the whole text changes, and each variant is
 * tried once.
 */
import { inOrder, searchAttack } from '../src/plugin.js';

const upper = (word: string) => word.toUpperCase();
const lower = (word: string) => word.toLowerCase();
const toTitleCase = (word: string) => lower(word).replace(/\p{L}/u, upper);
/** With Caps Lock on by mistake: "a LOVELY FILM". */
const invertCase = (text: string) =>
  text.replaceAll(/\p{L}/gu, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );

export const wholeCase = searchAttack({
  name: 'whole-case',
  level: 'sentence',
  needs: 'labels',
  summary: 'Writes the whole text in capitals, in lower case or as a title: "A LOVELY FILM.".',
  edits: () => ({
    name: 'the whole text in another case',
    bounds: ['only the case of letters'],
    whole: true,
    edits: (draft, at) =>
      [upper, lower, toTitleCase, invertCase].map((written) =>
        draft.replaceAll(new Map(at.map((slot) => [slot, written(draft.word(slot))]))),
      ),
  }),
  constraints: () => [],
  search: () => inOrder,
});
