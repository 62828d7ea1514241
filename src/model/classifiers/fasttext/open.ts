/** @file A supervised model of fastText as a classifier. */
import { basename, dirname, extname } from 'node:path';
import { ModelError } from '../../../core/errors.js';
import type { OutputReading } from '../../../core/output-reading.js';
import { queryParts } from '../../../core/pair.js';
import { type LoadedModel, type LoadOptions, loadedModel } from '../../loaded-model.js';
import { fingerprint } from '../../opening/fingerprint.js';
import type { FastTextFile } from '../../opening/resolve.js';
import { exclusiveLabels } from '../../output/output-rule.js';
import { classifierQueue } from '../../workers/classifier-queue.js';
import { bagOf } from './bag.js';
import { predictor } from './predict.js';
import { invalid, readFastText, unsupported } from './read.js';

/** Throws ModelError (MODEL_UNSUPPORTED, MODEL_DAMAGED). */
export async function openFastText({ path, name, pinned }: FastTextFile, options: LoadOptions): Promise<LoadedModel> {
  if (extname(path).toLowerCase() === '.ftz') throw unsupported(basename(path), 'quantised weights');
  const model = readFastText(path);
  const labels = options.labels ?? model.labels;
  if (options.decision === 'multi-label' && model.loss !== 'independent')
    throw exclusiveLabels(basename(path), 'it was trained with a softmax, so that its scores sum to 1');
  if (options.decision === 'regression') {
    throw new ModelError(`${name}: expected a model that answers one number, got one of fastText, which has labels`, {
      code: 'TASK_MISMATCH',
      hint: 'Leave --task regression out.',
    });
  }
  const predict = predictor(model);
  const kept = options.decision === 'multi-label' || options.decision === 'threshold';
  const normalised = model.loss === 'independent' && !kept;
  const queue = classifierQueue(async (texts: readonly string[]) =>
    texts.map((text) => {
      const [first, second] = queryParts(text);
      if (second !== undefined) throw noPairs(name);
      const scores = predict(bagOf(first, model));
      if (!scores.every((p) => p >= 0 && p <= 1)) throw invalid(basename(path), 'its weights give no probabilities');
      return normalised ? shares(scores) : scores;
    }),
  );
  return loadedModel(
    {
      name,
      sha256: await fingerprint(dirname(path), [path]),
      paths: [path],
      pinned,
      labels,
      output: reading(model.loss === 'independent', normalised),
      maximumTokens: Number.POSITIVE_INFINITY,
      figures: () => ({ ...queue.figures, truncated: 0 }),
      close: async () => {},
    },
    (text) => queue.ask(text),
    options,
  );
}

/** The file says by which loss it was trained. */
const reading = (independent: boolean, normalised: boolean): OutputReading => ({
  activation: independent ? 'sigmoid' : 'softmax',
  normalised,
  decidedBy: 'config',
  remarks: [],
});

/** Rows that sum to 1; evenly where all scores are 0. */
function shares(scores: Float32Array): Float32Array {
  const sum = scores.reduce((a, b) => a + b, 0);
  return scores.map((score) => (sum === 0 ? 1 / scores.length : score / sum));
}

const noPairs = (name: string): ModelError =>
  new ModelError(`${name}: expected a model of pairs of texts, got one of fastText, which takes one text`, {
    code: 'PAIRS_UNSUPPORTED',
    hint: 'Give one text by --columns text=NAME.',
  });
