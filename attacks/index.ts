/** @file The built-in attacks. An attack is listed here under its file name; a test holds the two together. */
import type { EvasionPlugin } from '../src/index.js';
import { deepwordbug } from './deepwordbug.js';

export { suites } from './suites.js';

export const attacks: readonly EvasionPlugin[] = [deepwordbug];
