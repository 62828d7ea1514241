/** @file A white box in closed form: P(positive) is the sigmoid of the sum of LEAN . row over the embeddings of all tokens. */
import { must } from '../core/errors.js';
import { random } from '../core/random.js';
import { type EmbeddingGradient, type Token, type WhiteBox, wordsOf } from '../plugin.js';

export const HIDDEN = 4;
const VOCABULARY = ['[CLS]', 'dull', 'poor', 'plain', 'fine', 'good', 'lovely', 'film', 'cast'];
const draw = random(3, 'table');
/** Rows of words lie near their sentiment along (1, 1, -1, 0.5). */
export const LEAN = [1, 1, -1, 0.5];
const SENTIMENT = [0, -2, -1.5, -0.3, 0.4, 1, 2, 0.1, 0];
export const TABLE = Float32Array.from({ length: VOCABULARY.length * HIDDEN }, (_, at) => {
  const id = Math.floor(at / HIDDEN);
  return must(SENTIMENT[id]) * must(LEAN[at % HIDDEN]) + 0.3 * draw.normal();
});

export const tokensOf = (text: string): Token[] => [
  { id: 0, start: 0, end: 0, special: true },
  ...wordsOf(text).map(({ text: word, start }) => ({
    id: Math.max(1, VOCABULARY.indexOf(word)),
    start,
    end: start + word.length,
    special: false,
  })),
];
export const embed = (tokens: readonly Token[]): Float32Array =>
  Float32Array.from(tokens.flatMap(({ id }) => Array.from(TABLE.slice(id * HIDDEN, (id + 1) * HIDDEN))));

/** P(positive) = sigmoid of the sum of LEAN . row over all rows. */
function answer(at: Float32Array): Float32Array {
  const logit = at.reduce((sum, value, k) => sum + value * must(LEAN[k % HIDDEN]), 0);
  const p = 1 / (1 + Math.exp(-logit));
  return Float32Array.of(1 - p, p);
}

export const answerOf = (text: string): Float32Array => answer(embed(tokensOf(text)));

export const model: WhiteBox = {
  labels: ['negative', 'positive'],
  hidden: HIDDEN,
  loss: 'cross-entropy',
  classify: async (texts) => texts.map(answerOf),
  gradient: async (text, label) => model.gradientAt(embed(tokensOf(text)), tokensOf(text), label),
  classifyEmbeddings: async (batch) => batch.map(answer),
  async gradientAt(embeddings, tokens, label): Promise<EmbeddingGradient> {
    const probabilities = answer(embeddings);
    // d(-ln p_label)/d(row) = (p1 - [label = 1]) LEAN
    const error = must(probabilities[1]) - label;
    const values = embeddings.map((_, k) => error * must(LEAN[k % HIDDEN]));
    return { tokens, embeddings, probabilities, loss: -Math.log(must(probabilities[label])), values };
  },
  embeddingTable: async () => TABLE,
  tokenText: (id) => (id === 0 ? undefined : VOCABULARY[id]),
};
