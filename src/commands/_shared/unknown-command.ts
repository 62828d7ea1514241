/** @file The hook for a command that does not exist. */
import type { Hook } from '@oclif/core';
import { UsageError } from '../../core/errors.js';
import { didYouMean } from '../../core/suggest.js';

const hook: Hook.CommandNotFound = async ({ id, config }) => {
  const known = config.commands.filter(({ hidden }) => !hidden).map((command) => command.id.replaceAll(':', ' '));
  const name = id.replaceAll(':', ' ');
  throw new UsageError(`robust has no command "${name}"`, { code: 'UNKNOWN_COMMAND', hint: didYouMean(name, known) });
};

export default hook;
