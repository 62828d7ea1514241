/** @file Contract of every detector. */
import assert from 'node:assert/strict';
import type { Detector, Watch } from '../core/detector.js';
import { english } from '../language/english/index.js';
import { introduction, keep } from './promises.js';
import { ODD, SENTENCES } from './texts.js';
import { toy } from './toys.js';

const NOUNS = ['film', 'plot', 'story', 'actor', 'scene', 'ending', 'music', 'score'];

const watch: Watch = {
  victim: { labels: ['negative', 'positive'], classify: async (texts) => texts.map(toy) },
  language: english,
  clean: NOUNS.flatMap((noun) => [`the ${noun} is a good one`, `what a dull ${noun} it is`]),
  vocabulary: ['the', 'a', 'is', 'it', 'good', 'dull', ...NOUNS],
  hidden: { width: 2, states: async (texts) => texts.map((text) => Float32Array.of(text.length % 7, 1)) },
};

/** Throws an Error that lists the promises that `plugin` violates. `options`: differences from its defaults. */
export async function checkDetector(plugin: Detector, options: object = {}): Promise<void> {
  const texts = [...SENTENCES, ...ODD.map(([, text]) => text)];
  const create = () => plugin.create(watch, plugin.options?.parse(options) ?? {});
  await keep(plugin.name, [
    ...introduction('detector', plugin),
    [
      'it gives each text one number, always the same',
      async () => {
        const score = await create();
        const scores = await score(texts);
        assert(scores instanceof Float64Array, 'expected a Float64Array');
        assert.equal(scores.length, texts.length, 'expected one score per text');
        const odd = texts.find((_, at) => Number.isNaN(scores[at]));
        assert.equal(odd, undefined, `the score of ${JSON.stringify(odd?.slice(0, 40))} is not a number`);
        assert.deepEqual(await (await create())(texts), scores, 'created again, it gives different scores');
      },
    ],
    [
      'a score depends only on its text',
      async () => {
        const score = await create();
        const [first] = await score([SENTENCES[1]!]);
        assert.equal((await score(texts))[1], first);
        assert.equal((await score([])).length, 0, 'no texts have no scores');
      },
    ],
  ]);
}
