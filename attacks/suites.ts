/** @file The suites: lists of attacks that answer one question about a model. */
import type { Suite } from '../src/index.js';

export const suites: readonly Suite[] = [
  {
    name: 'typos',
    summary:
      'Does a misspelled word turn the prediction? Slips of the finger and of spelling, and misspellings on purpose.',
    attacks: ['deepwordbug'],
  },
];
