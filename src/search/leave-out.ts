import type { Transformation } from '../core/search.js';

/** Removes words, with the preceding space. */
export const leaveOut: Transformation = {
  name: 'a word left out',
  *edits(draft, at) {
    for (const slot of at) if (draft.word(slot) !== '') yield draft.remove(slot);
  },
};
