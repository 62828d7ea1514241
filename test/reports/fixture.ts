/** The report that a stranger's tests have too. */
export * from '../../src/testing/report.js';
