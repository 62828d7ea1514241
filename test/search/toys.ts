/** The toys that a stranger's tests have too. */
export * from '../../src/testing/toys.js';
