import { english } from '../../src/language/english/index.js';
import type { Draft } from '../../src/plugin.js';
import { untargeted } from '../../src/search/goals.js';

/** The toys that a stranger's tests have too. */
export * from '../../src/testing/toys.js';

/** The view that edits have of a black-box victim. */
export const blind = {
  label: 0,
  labels: ['negative', 'positive'],
  language: english,
  goal: untargeted,
  gradients: undefined,
  done: false,
};

export const texts = (drafts: readonly Draft[]): string[] => drafts.map((draft) => draft.text);
