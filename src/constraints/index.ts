/** @file Constraints by name. A constraint in the list of its file is available wherever attacks are. */
import type { ComponentPlugin } from '../core/plugin.js';
import { editConstraints } from './edits.js';
import { fluencyConstraints } from './fluency.js';
import { infillConstraints } from './infills.js';
import { meaningConstraints } from './meaning.js';
import { placeholderConstraints } from './placeholders.js';
import { wordConstraints } from './words.js';

export const constraints: readonly ComponentPlugin<'constraint'>[] = [
  ...editConstraints,
  ...wordConstraints,
  ...meaningConstraints,
  ...fluencyConstraints,
  ...infillConstraints,
  ...placeholderConstraints,
];
