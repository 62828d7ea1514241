/** @file THE KIT: all that an attack, a data set reader or a report renderer may import. */
export { z } from 'zod';
export { Draft, type Word, wordsOf } from './core/draft.js';
export * from './core/errors.js';
export { packageRoot } from './core/package-root.js';
export type { Random } from './core/random.js';
export { random } from './core/random.js';
export { wilson } from './core/stats.js';
export { didYouMean, nearest } from './core/suggest.js';
export type * from './core/types.js';
