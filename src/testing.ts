/**
 * @file What plugins promise, `robust-text/testing`: a function a kind that throws where a promise is broken, for tests in any framework. Our own
 * plugins are held to the same.
 */
export { checkAttack } from './testing/attack.js';
export { checkDataset, type ReadAs } from './testing/dataset.js';
export { checkDefence } from './testing/defence.js';
export { checkDetector } from './testing/detector.js';
export { checkLanguage } from './testing/language.js';
export { checkConstraint, checkSearch, checkTransformation } from './testing/parts.js';
export { checkPoisoner } from './testing/poisoner.js';
export { checkReporter } from './testing/reporter.js';
export { checkVictim } from './testing/victim.js';
