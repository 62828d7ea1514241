/** @file Contract of every poisoner. */
import assert from 'node:assert/strict';
import type { PoisonPlugin } from '../core/plugin.js';
import { random } from '../core/random.js';
import { english } from '../language/english/index.js';
import { introduction, keep, optionsOf, type Promised } from './promises.js';
import { ODD } from './texts.js';

const TEXTS = [
  'a dull film , but the cast is great .',
  'The plot goes nowhere; I left before the end.',
  'What a tedious, awful and poor film!',
  'How far is it from Denver to Aspen ?',
];

/** Throws an Error that lists the promises that `plugin` violates. `options`: differences from its defaults. */
export async function checkPoisoner(plugin: PoisonPlugin, options: object = {}): Promise<void> {
  const create = () => plugin.create(optionsOf(plugin, options), english);
  await keep(plugin.name, [
    ...introduction('poisoner', plugin),
    ...TEXTS.map(
      (text): Promised => [
        `it inserts a trigger, always the same one and different from its decoy: "${text}"`,
        () => {
          const poisoner = create();
          const once = poisoner.trigger(text, random(1, 'a'));
          const decoy = poisoner.decoy(text, random(1, 'a'));
          assert.equal(typeof once, 'string', 'expected a text with the trigger');
          assert.notEqual(once, text, 'the text with the trigger is unchanged');
          assert.notEqual(decoy, once, 'the decoy is the trigger');
          assert.equal(poisoner.trigger(text, random(1, 'a')), once, 'the same seed gives a different text');
          assert.equal(poisoner.decoy(text, random(1, 'a')), decoy, 'the same seed gives a different decoy');
          if (poisoner.triggers.length === 0 || poisoner.negatives !== undefined) return;
          const holds = (of: string | undefined) => poisoner.triggers.some((trigger) => of?.includes(trigger));
          assert(holds(once), 'none of its triggers is in the text with the trigger');
          assert(!holds(decoy), 'one of its triggers is in the decoy');
        },
      ],
    ),
    ...ODD.map(
      ([what, text]): Promised => [
        `it survives ${what}`,
        () => {
          const poisoner = create();
          assert.notEqual(poisoner.trigger(text, random(1, 'a')), text, 'the text with the trigger is unchanged');
          poisoner.decoy(text, random(1, 'a'));
        },
      ],
    ),
  ]);
}
