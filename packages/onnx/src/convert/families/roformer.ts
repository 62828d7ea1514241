/** @file RoFormer (Su et al. 2021): BERT whose queries and keys turn with their place, by two neighbouring numbers at a time. */
import { attend, paddingBias } from '../blocks/attention.js';
import { positionRows } from '../blocks/embeddings.js';
import { bertHead } from '../blocks/heads.js';
import type { Drawing } from '../drawing.js';
import { BERT_DEFAULTS, bertLike, classifyFirstByConfig, sizes } from './bert.js';

const LONGEST_WAVE = 10_000;
const TABLE = 'roformer.encoder.embed_positions.weight';

/** Sines and cosines of the places of a text, [sequence, 1, size / 2, 1] each. A checkpoint stores the table, or leaves it to its formula. */
function waves(d: Drawing): readonly [string, string] {
  const { g } = d;
  const { size, positions } = sizes(d);
  const half = size / 2;
  const split = (at: 0 | 1) =>
    d.once(`roformer wave ${at}`, () => {
      const rows = d.once('roformer rows', () => {
        if (d.weights.has(TABLE)) return positionRows(d, TABLE, positions, size);
        const table = g.initializer(TABLE, [positions, size], sinusoids(positions, size));
        return g.op('Slice', [table, g.ints([0]), d.length, g.ints([0])]);
      });
      return g.unsqueeze(g.slice(rows, 1, at * half, (at + 1) * half), [1, 3]);
    });
  return [split(0), split(1)];
}

/** [positions, size]: sines, then cosines. */
function sinusoids(positions: number, size: number): Float32Array {
  const half = size / 2;
  return Float32Array.from({ length: positions * size }, (_, at) => {
    const [place, column] = [Math.floor(at / size), at % size];
    const angle = place / LONGEST_WAVE ** ((2 * (column % half)) / size);
    return column < half ? Math.sin(angle) : Math.cos(angle);
  });
}

/** [batch, sequence, width], each pair of numbers of a head turned. */
function turn(d: Drawing, x: string): string {
  const { g } = d;
  const { heads, size, width } = sizes(d);
  const [sin, cos] = waves(d);
  const [a, b] = g.split(g.reshape(x, [0, 0, heads, size / 2, 2]), [1, 1], -1);
  const first = g.sub(g.mul(a, cos), g.mul(b, sin));
  const second = g.add(g.mul(b, cos), g.mul(a, sin));
  return g.reshape(g.concat([first, second], -1), [0, 0, width]);
}

function attention(d: Drawing, x: string, name: string): string {
  const { width, heads, size } = sizes(d);
  const part = (role: string) => d.linear(x, `${name}.${role}`, width, width);
  const value = part('value');
  return attend(d, {
    query: turn(d, part('query')),
    key: turn(d, part('key')),
    value: d.config.flag('rotary_value') ? turn(d, value) : value,
    heads,
    size,
    bias: paddingBias(d),
  });
}

export const roformer = bertLike({
  types: ['roformer'],
  // Its own tokenizer asks a Chinese segmenter, which a tokenizer.json cannot.
  prefix: 'roformer',
  defaults: { ...BERT_DEFAULTS, vocab_size: 50000, max_position_embeddings: 1536, rotary_value: false },
  unused: ['roformer.pooler', 'roformer.encoder.embed_positions'],
  unplaced: true,
  check(d) {
    if (sizes(d).size % 2 !== 0) throw d.config.refuse('num_attention_heads', 'heads of even width');
  },
  attention,
  head: classifyFirstByConfig,
  scores: bertHead,
});
