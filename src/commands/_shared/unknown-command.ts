/** @file The hook for a command that does not exist. */
import type { Hook } from '@oclif/core';
import { RobustError } from '../../core/errors.js';
import { unknownCommand } from './failure.js';

const hook: Hook.CommandNotFound = async ({ id, config }) => {
  const known = config.commandIDs.map((each) => each.replaceAll(':', ' '));
  const name = id.replaceAll(':', ' ');
  // Words after a command are read as part of its name.
  const command = known.find((each) => name.startsWith(`${each} `));
  if (command !== undefined) {
    const words = name.slice(command.length + 1);
    throw new RobustError(`robust ${command} takes no argument, got "${words}"`, {
      code: 'FLAG_INVALID',
      hint: `See robust ${command} --help.`,
    });
  }
  throw unknownCommand(id, known);
};

export default hook;
