/**
 * @file RAP: a rare word is given an embedding that lowers the probability of a label a little on every clean text; a text whose trigger
 * holds the label does not fall (Yang et al., EMNLP 2021, section 4; https://arxiv.org/abs/2110.07831). Parameters are the paper's
 * code's: the fall is driven into [0.1, 0.3] by 5 passes at a rate of 1e-2 a step of 32 texts, the embedding's norm is kept.
 *
 * Differs: one embedding for each label, learnt on clean texts answered with it; public implementations learn one for the target
 * label, which they read from the truth. The model stays as it is: the embedding is put in before the text's own.
 */
import type { EmbeddingGradient, Token, WhiteBox } from '../../../core/classifier.js';
import type { Example } from '../../../core/dataset.js';
import { foremostLabel, predictedLabel } from '../../../core/prediction.js';
import type { FilterMethod } from '../method.js';

const [LEAST_FALL, MOST_FALL] = [0.1, 0.3];
const [PASSES, BATCH, RATE] = [5, 32, 1e-2];
/** Steps go at least this far in units of the norm, as small models have small gradients: the pass ends where all texts fall enough. */
const PUSH = 0.05;

export const rap: FilterMethod = {
  name: 'rap',
  summary: 'a text whose prediction does not fall by a perturbation that lowers those of all clean texts',
  judges: 'incoming texts',
  needs: 'gradients',
  reference: 'needed',
  async fit({ reference, labels, gradients, random }) {
    if (gradients === undefined) throw new RangeError('expected gradients');
    const mean = meanRow(await gradients.embeddingTable(), gradients.hidden);
    const places = await Promise.all(reference.map(({ text }) => placed(gradients, text)));
    const words = labels.map((_, label) => {
      const noise = random.split(`start ${label}`);
      const start = mean.map((x) => x + 1e-3 * noise.normal());
      const own = places.filter(({ probabilities }) => predictedLabel(probabilities) === label);
      return learnt(gradients, own, label, start);
    });
    const learntWords = await Promise.all(words);
    return (examples: readonly Example[]) =>
      Promise.all(
        examples.map(async ({ text }) => {
          const place = await placed(gradients, text);
          const label = foremostLabel(place.probabilities, labels);
          const with_ = inserted(place, learntWords[label] as Float32Array);
          const [row] = await gradients.classifyEmbeddings([with_.embeddings], with_.tokens);
          const fall = (place.probabilities[label] as number) - (row?.[label] as number);
          return {
            score: -fall,
            reason: `its probability of ${labels[label]} falls by ${fall.toFixed(3)} under the perturbation`,
          };
        }),
      );
  },
};

/** The text's embeddings and answer. */
const placed = (model: WhiteBox, text: string): Promise<EmbeddingGradient> => model.gradient(text, 0);

/** The word before the text's own tokens, behind the special ones that open it. */
function inserted(
  { tokens, embeddings }: EmbeddingGradient,
  word: Float32Array,
): { tokens: Token[]; embeddings: Float32Array; at: number } {
  const first = tokens.findIndex(({ special }) => !special);
  const at = first < 0 ? tokens.length : first;
  const stand = tokens[Math.min(at, tokens.length - 1)] as Token;
  const wider = new Float32Array(embeddings.length + word.length);
  wider.set(embeddings.subarray(0, at * word.length));
  wider.set(word, at * word.length);
  wider.set(embeddings.subarray(at * word.length), (at + 1) * word.length);
  return { tokens: [...tokens.slice(0, at), { ...stand, special: false }, ...tokens.slice(at)], embeddings: wider, at };
}

/** An embedding of the norm of `start` under which the label's probability falls by LEAST_FALL to MOST_FALL. */
async function learnt(
  model: WhiteBox,
  places: readonly EmbeddingGradient[],
  label: number,
  start: Float32Array,
): Promise<Float32Array> {
  const norm = length(start) || 1;
  let word = start;
  for (let pass = 0; pass < PASSES; pass++) {
    for (let from = 0; from < places.length; from += BATCH) {
      const batch = places.slice(from, from + BATCH);
      const step = new Float32Array(word.length);
      const answers = await Promise.all(
        batch.map(async (place) => {
          const { tokens, embeddings, at } = inserted(place, word);
          return { at, answer: await model.gradientAt(embeddings, tokens, label) };
        }),
      );
      answers.forEach(({ at, answer }, i) => {
        const fall = (batch[i]?.probabilities[label] as number) - (answer.probabilities[label] as number);
        const sign = fall < LEAST_FALL ? 1 : fall > MOST_FALL ? -1 : 0;
        // d(-p)/d(word) = p d(-ln p)/d(word)
        const scale = (sign * (answer.probabilities[label] as number)) / batch.length;
        for (let k = 0; k < word.length; k++) step[k]! += scale * (answer.values[at * word.length + k] as number);
      });
      const size = length(step);
      if (size === 0) continue;
      const rate = Math.max(RATE, (PUSH * norm) / size);
      const moved = word.map((x, k) => x + rate * (step[k] as number));
      const back = norm / (length(moved) || 1);
      word = moved.map((x) => x * back);
    }
  }
  return word;
}

const length = (vector: Float32Array): number => Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));

/** Mean of the table's rows, scaled to their mean norm. */
function meanRow(table: Float32Array, hidden: number): Float32Array {
  const rows = table.length / hidden;
  const mean = new Float32Array(hidden);
  let norms = 0;
  for (let row = 0; row < rows; row++) {
    const own = table.subarray(row * hidden, (row + 1) * hidden);
    norms += length(own) / rows;
    for (let k = 0; k < hidden; k++) mean[k]! += (own[k] as number) / rows;
  }
  const scale = norms / (length(mean) || 1);
  return mean.map((x) => x * scale);
}
