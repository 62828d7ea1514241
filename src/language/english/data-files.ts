/** @file Word lists and tables of English. */
import { dataFolder } from '../data-files.js';

export const { wordList, table, section } = dataFolder('src/language/english/data');
