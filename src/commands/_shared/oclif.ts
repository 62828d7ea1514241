/**
 * @file What is used of oclif, at run time. The build makes this one file of the hundred that oclif has, which halves what a start takes
 * beyond that of Node.js (bench/start.ts); so nothing else may name them but for types.
 */
export * as Args from '@oclif/core/args';
export { Command } from '@oclif/core/command';
export { Config } from '@oclif/core/config';
export * as Flags from '@oclif/core/flags';
export { run } from '@oclif/core/run';

import { settings } from '@oclif/core/settings';

// Commands are compiled. Where NODE_ENV is not production, oclif would look for typescript, and warn users who have none.
settings.enableAutoTranspile = false;
