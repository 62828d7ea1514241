/** @file Data files of the languages. */
import { dataFolder } from '../data-files.js';

export const { section } = dataFolder('src/language/packs/data');
