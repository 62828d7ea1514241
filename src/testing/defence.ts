/** @file Contract of every defence. */
import assert from 'node:assert/strict';
import type { Classifier } from '../core/classifier.js';
import type { DefenceContext, DefencePlugin } from '../core/defence.js';
import { withDefences } from '../defence/with-defences.js';
import { english } from '../language/english/index.js';
import { introduction, keep, optionsOf, type Promised } from './promises.js';
import { ODD, SENTENCES } from './texts.js';
import { toy } from './toys.js';

const material: DefenceContext = {
  vocabulary: ['a', 'the', 'good', 'bad', 'dull', 'film', 'plot', 'cast', 'is', 'with'],
  texts: SENTENCES,
  mask: '[UNK]',
  seed: 7,
  language: english,
};

/** Throws an Error that lists the promises that `plugin` violates. `options`: differences from its defaults. */
export async function checkDefence(plugin: DefencePlugin, options: object = {}): Promise<void> {
  const create = () => ({ name: plugin.name, ...plugin.create(optionsOf(plugin, options), material) });
  const victim = { labels: ['negative', 'positive'], classify: async (texts: readonly string[]) => texts.map(toy) };
  const texts = [...SENTENCES, ...ODD.map(([, text]) => text)];
  // Some learn a dictionary for seconds, so it is created only twice.
  let behind: Classifier | undefined;
  const defend = () => (behind ??= withDefences(victim, [create()], 7));
  await keep(plugin.name, [
    ...introduction('defence', plugin),
    [
      'it describes itself, rewrites or votes, and gives the same answers when created again with the same seed',
      async () => {
        const defence = create();
        assert(defence.conditions.length > 3, 'conditions: expected a few words, as printed next to every rate');
        assert(defence.rewrite ?? defence.vote, 'expected rewrite or vote');
        const anew = withDefences(victim, [defence], 7);
        assert.deepEqual(await anew.classify(texts), await defend().classify(texts));
      },
    ],
    ...[...SENTENCES.map((text) => [`"${text}"`, text] as const), ...ODD].map(
      ([what, text]): Promised => [
        `it answers any text, and the same text in the same way: ${what}`,
        async () => {
          const [once, twice] = (await defend().classify([text, text])) as [Float32Array, Float32Array];
          assert.deepEqual(twice, once, 'the same text gets a different answer');
          const sum = once.reduce((all, p) => all + p, 0);
          assert(Math.abs(sum - 1) < 1e-4, `expected probabilities that sum to 1, got ${sum}`);
        },
      ],
    ),
  ]);
}
