/** @file The used parts of oclif at run time: other modules import only its types, so the bundle contains nothing else. */
export * as Args from '@oclif/core/args';
export { Command } from '@oclif/core/command';
export { Config } from '@oclif/core/config';
export * as Flags from '@oclif/core/flags';
export { CommandHelp, Help } from '@oclif/core/help';
export * as Parser from '@oclif/core/parser';
export { run } from '@oclif/core/run';

import { settings } from '@oclif/core/settings';

// Commands are compiled. Where NODE_ENV is not production, oclif would look for typescript, and warn users who have none.
settings.enableAutoTranspile = false;
