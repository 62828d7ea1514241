/** @file What is used of oclif, at run time: nothing else may name it but for types, so that this, and no more, is in the bundle. */
export * as Args from '@oclif/core/args';
export { Command } from '@oclif/core/command';
export { Config } from '@oclif/core/config';
export * as Flags from '@oclif/core/flags';
export { CommandHelp, Help } from '@oclif/core/help';
export { run } from '@oclif/core/run';

import { settings } from '@oclif/core/settings';

// Commands are compiled. Where NODE_ENV is not production, oclif would look for typescript, and warn users who have none.
settings.enableAutoTranspile = false;
