/** The promises of those defences and detectors that learn a dictionary of English first. */
import { expect, test } from 'vitest';
import { detectors } from '../../src/defence/detection/index.js';
import { defences } from '../../src/defence/index.js';
import { checkDefence, checkDetector } from '../../src/testing.js';
import { SLOW_PLUGINS } from './slow-plugins.js';

test.each(SLOW_PLUGINS)(
  '%s',
  async (name) => {
    const defence = defences.find((each) => each.name === name);
    const detector = detectors.find((each) => each.name === name);
    expect(defence ?? detector).toBeDefined();
    // Fewer words of the dictionary: the more, the longer it takes to make.
    if (defence) await checkDefence(defence, name === 'roben' ? { words: 100 } : {});
    if (detector) await checkDetector(detector);
  },
  120_000,
);
