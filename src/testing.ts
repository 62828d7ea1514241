/**
 * @file Contract tests for plugins, `robust-text/testing`: one function per kind that throws if a promise is violated, for tests in any
 * framework. The built-in plugins are tested in the same way.
 */
export { checkAttack } from './testing/attack.js';
export { checkDataset, type ReadAs } from './testing/dataset.js';
export { checkDefence } from './testing/defence.js';
export { checkLanguage } from './testing/language.js';
export { checkConstraint, checkSearch, checkTransformation } from './testing/parts.js';
export { checkPoisoner } from './testing/poisoner.js';
export { checkReporter } from './testing/reporter.js';
export { checkVictim } from './testing/victim.js';
