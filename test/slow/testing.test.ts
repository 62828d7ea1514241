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
    // Fewer words of the dictionary: the more, the longer it takes to make.
    await checkDefence(defence, name === 'roben' ? { words: 100 } : {});
  },
  120_000,
);
