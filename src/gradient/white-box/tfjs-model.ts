/** @file A model of TF.js from its embeddings on: its answers, and its gradients by TF.js's own tape, as a worker answers with them. */
import { ModelError, must, UnsupportedOpError } from '../../core/errors.js';
import { tokenFeeds } from '../../model/workers/feeds.js';
import type { Served } from '../../model/workers/messages.js';
import { tensorsOf } from '../../model/workers/tfjs-session.js';
import { firstLine, openTfjs, settleBackend, trialFeeds } from '../../tfjs/open.js';
import type { NamedTensorMap, Tensor, TF } from '../../tfjs/tf.js';
import type { EmbeddingAnswer, EmbeddingBatch, EmbeddingPlan, EmbeddingSummary } from './embedding-model.js';

/** Gradients and answers in a worker: see worker.ts. */
export async function serve(plan: EmbeddingPlan): Promise<Served<EmbeddingSummary, EmbeddingBatch, EmbeddingAnswer>> {
  const { file, wiring, rule } = plan;
  const open = await openTfjs(file);
  const { tf, model } = open;
  const { activation, normalise, width } = rule;
  const head = model.head(wiring.output)?.activation;
  const start = activation === 'none' ? head : activation === 'sigmoid' ? 'sigmoid' : 'softmax';
  const [loss, losses] = lossOf(tf, start, normalise, width);
  const ids = wiring.inputs.find(({ role }) => role === 'ids')?.name ?? '';

  /** Answers, and gradients where there are targets. */
  const run = (feeds: NamedTensorMap, rows: Tensor, targets?: Tensor): EmbeddingAnswer => {
    const from = (embeddings: Tensor, logits: boolean) =>
      tf.reshape(model.run(feeds, wiring.output, { rows: embeddings, logits }) as Tensor, [-1, width]);
    if (targets === undefined) return { raw: numbers(from(rows, false)) };
    const logits = activation === 'none' && head !== undefined;
    let raw: Float32Array | undefined;
    let each: Float32Array | undefined;
    const total = (embeddings: Tensor) => {
      const scores = from(embeddings, logits);
      const answers = !logits ? scores : head === 'softmax' ? tf.softmax(scores) : tf.sigmoid(scores);
      const lost = losses(scores, targets);
      [raw, each] = [numbers(answers), numbers(lost)];
      return tf.sum(lost);
    };
    const [gradients] = tf.engine().gradients(() => total(rows), [rows], undefined, true).grads;
    return { raw: must(raw), losses: must(each), gradients: numbers(gradients ?? tf.zerosLike(rows)) };
  };

  let table = new Float32Array();
  let hidden = 0;
  await settleBackend(file, open, async () => {
    const feeds = trialFeeds(open);
    tf.engine().startScope();
    try {
      // Where the graph can only be run step by step, this is where it turns out.
      await model.run(feeds, wiring.output);
      const weights = model.table(ids);
      [table, hidden] = [weights.dataSync() as Float32Array<ArrayBuffer>, must(weights.shape[1])];
      const length = must(feeds[ids]).size;
      run(feeds, tf.zeros([1, length, hidden]), tf.zeros([1, width]));
    } catch (cause) {
      if (cause instanceof ModelError) throw cause;
      throw new UnsupportedOpError(`${file}: TF.js has no gradient of it: ${firstLine(cause)}`, {
        code: 'GRADIENTS_UNSUPPORTED',
        hint: 'Attacks that need no gradients run on it.',
        cause,
      });
    } finally {
      tf.engine().endScope();
      tf.dispose(feeds);
    }
  });
  return {
    ready: { loss, hidden, table: plan.table ? shared(table) : new Float32Array() },
    async answer({ embeddings, targets, ...batch }) {
      const { texts, length } = batch;
      tf.engine().startScope();
      try {
        const feeds = tensorsOf(tf, tokenFeeds(wiring.inputs, batch, wiring));
        const rows = tf.tensor3d(embeddings, [texts, length, hidden]);
        return run(feeds, rows, targets && tf.tensor2d(targets, [texts, width]));
      } finally {
        tf.engine().endScope();
      }
    },
    release: async () => model.dispose(),
  };
}

const numbers = (tensor: Tensor): Float32Array => Float32Array.from(tensor.dataSync());

function shared(values: Float32Array): Float32Array {
  const held = new Float32Array(new SharedArrayBuffer(values.byteLength));
  held.set(values);
  return held;
}

/** The loss that attacks maximise, of each text, and its name: as loss.ts appends it to a graph. Scores are logits of `start`, else probabilities. */
function lossOf(
  tf: TF,
  start: 'softmax' | 'sigmoid' | undefined,
  normalise: boolean,
  width: number,
): [name: string, loss: (scores: Tensor, targets: Tensor) => Tensor] {
  const log = (x: Tensor) => tf.log(tf.maximum(x, 1e-30));
  const sum = (x: Tensor) => tf.sum(x, 1);
  if (start === 'softmax') return ['cross-entropy', (z, t) => tf.neg(sum(tf.mul(tf.logSoftmax(z), t)))];
  if (start === 'sigmoid' && normalise && width > 1) {
    const loss = (z: Tensor, t: Tensor) => tf.add(sum(tf.mul(tf.softplus(tf.neg(z)), t)), log(sum(tf.sigmoid(z))));
    return ['negative log-likelihood of normalised sigmoids', loss];
  }
  if (start === 'sigmoid') return ['binary cross-entropy', (z, t) => sum(tf.sub(tf.softplus(z), tf.mul(z, t)))];
  if (width > 1) return ['negative log-likelihood', (p, t) => tf.sub(log(sum(p)), sum(tf.mul(log(p), t)))];
  const no = (x: Tensor) => tf.sub(1, x);
  const loss = (p: Tensor, t: Tensor) => tf.neg(sum(tf.add(tf.mul(log(p), t), tf.mul(log(no(p)), no(t)))));
  return ['binary cross-entropy', loss];
}
