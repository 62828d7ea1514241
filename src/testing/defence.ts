/** @file What every defence promises, whoever wrote it. */
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

/** Throws Error that lists the promises of defences that `plugin` breaks. `options`: what differs from its defaults. */
export async function checkDefence(plugin: DefencePlugin, options: object = {}): Promise<void> {
  const made = () => ({ name: plugin.name, ...plugin.create(optionsOf(plugin, options), material) });
  const victim = { labels: ['negative', 'positive'], classify: async (texts: readonly string[]) => texts.map(toy) };
  const texts = [...SENTENCES, ...ODD.map(([, text]) => text)];
  // Some learn a dictionary for seconds: made twice, and no more.
  let behind: Classifier | undefined;
  const defended = () => (behind ??= withDefences(victim, [made()], 7));
  await keep(plugin.name, [
    ...introduction('defence', plugin),
    [
      'it says what it does, rewrites or votes, and made anew with the same seed gives the same answers',
      async () => {
        const defence = made();
        assert(defence.conditions.length > 3, 'conditions: expected a few words, as printed beside every rate');
        assert(defence.rewrite ?? defence.vote, 'expected rewrite or vote');
        const anew = withDefences(victim, [defence], 7);
        assert.deepEqual(await anew.classify(texts), await defended().classify(texts));
      },
    ],
    ...[...SENTENCES.map((text) => [`"${text}"`, text] as const), ...ODD].map(
      ([what, text]): Promised => [
        `any text is answered, the same text the same way: ${what}`,
        async () => {
          const [once, twice] = (await defended().classify([text, text])) as [Float32Array, Float32Array];
          assert.deepEqual(twice, once, 'the same text, another answer');
          const sum = once.reduce((all, p) => all + p, 0);
          assert(Math.abs(sum - 1) < 1e-4, `expected probabilities that sum to 1, got ${sum}`);
        },
      ],
    ),
  ]);
}
