/** The promises of those defences that learn a dictionary of English first. */
import { test } from 'vitest';
import { defences } from '../../src/defence/index.js';
import { checkDefence } from '../../src/testing.js';
import { SLOW_PLUGINS } from './slow-plugins.js';

test.each(SLOW_PLUGINS)(
  '%s',
  async (name) => {
    const defence = defences.find((each) => each.name === name);
    if (defence === undefined) throw new Error(`no defence ${name}`);
    await checkDefence(defence);
  },
  120_000,
);
