/**
 * @file What is used of oclif, at run time. The build makes this one file of the hundred that oclif has, which takes a third to a half off
 * what a start takes beyond that of Node.js (docs/performance.md); so nothing else may name them but for types.
 */
export * as Args from '@oclif/core/args';
export { Command } from '@oclif/core/command';
export { Config } from '@oclif/core/config';
export * as Flags from '@oclif/core/flags';
export { run } from '@oclif/core/run';

import { settings } from '@oclif/core/settings';

// Commands are compiled. Where NODE_ENV is not production, oclif would look for typescript, and warn users who have none.
settings.enableAutoTranspile = false;
