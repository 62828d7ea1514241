/** The white box that a stranger's tests have too. */
export * from '../../src/testing/white-box.js';
