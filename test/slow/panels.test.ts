/** The simulated panels of test/review/panel.test.ts, a thousand of them. */
process.env.ROBUST_PANELS ??= '1000';
await import('../review/panel.test.js');
