/**
 * @file Measures the cost of searches without that of a model: each attack against a victim that answers at once and never flips, so that
 * every rewrite is made, checked and queried. Prints microseconds a query, the median of five passes, on sentences of the
 * bundled reviews and on texts of ten of them. A small transformer takes 700 microseconds a sentence.
 */

import { attacks } from '../attacks/index.js';
import { openDataset } from '../datasets/index.js';
import { random } from '../src/core/random.js';
import { english } from '../src/language/english/index.js';
import { untargeted } from '../src/search/goals.js';

const sentences: string[] = [];
for await (const { text } of (await openDataset('reviews')).examples()) if (sentences.push(text) === 200) break;
const long = Array.from({ length: 20 }, (_, at) => sentences.slice(at * 10, at * 10 + 10).join(' '));

/** Scores that differ from text to text, so that searches take turns, and never reach the goal. */
function free(text: string): Float32Array {
  const right = 0.6 + ((text.length * 7919 + text.charCodeAt(text.length >> 1) * 31) % 97) / 400;
  return Float32Array.of(1 - right, right);
}

/** Microseconds a query, and queries a text. */
async function cost(name: string, texts: readonly string[]): Promise<{ each: number; queries: number }> {
  const plugin = attacks.find((attack) => attack.name === name);
  if (plugin === undefined) throw new Error(`no attack ${name}`);
  const attack = plugin.create(plugin.options.parse({}));
  const passes: number[] = [];
  let asked = 0;
  for (let pass = 0; pass < 5; pass++) {
    asked = 0;
    const start = performance.now();
    for (const [at, text] of texts.entries()) {
      await attack.run(
        { id: String(at), text, label: 1 },
        {
          labels: ['negative', 'positive'],
          original: Float32Array.of(0.1, 0.9),
          goal: untargeted,
          language: english,
          constraints: [],
          random: random(pass, name, text),
          remaining: Number.POSITIVE_INFINITY,
          classify: async (rewrites) => {
            asked += rewrites.length;
            return rewrites.map(free);
          },
        },
      );
    }
    passes.push(((performance.now() - start) / asked) * 1000);
  }
  return { each: passes.sort((a, b) => a - b)[2] as number, queries: asked / texts.length };
}

console.log('attack           us/query  queries/sentence   us/query  queries/ten sentences');
for (const { name, needs, level } of attacks) {
  if (needs === 'gradients' || level === 'embedding') continue;
  await cost(name, sentences.slice(0, 50)); // compiles, and reads the word lists
  const [short, ten] = [await cost(name, sentences), await cost(name, long)];
  console.log(
    `${name.padEnd(16)} ${short.each.toFixed(1).padStart(8)} ${short.queries.toFixed(0).padStart(17)} ${ten.each.toFixed(1).padStart(10)} ${ten.queries.toFixed(0).padStart(22)}`,
  );
}
