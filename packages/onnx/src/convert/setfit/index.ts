/** @file A SetFit model: an encoder of sentence-transformers, and a linear classifier that was fitted to its embeddings. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { OnnxError } from '../../errors.js';
import { DataType } from '../../graph/data-type.js';
import { Tensor } from '../../graph/tensor.js';
import { isObject } from '../../json.js';
import { readFileSync } from '../../read-file.js';
import { damaged, parseCheckpointJson } from '../checkpoint/stored-tensor.js';
import { ModelConfig } from '../config.js';
import type { Drawing } from '../drawing.js';
import { normalise } from '../sentence.js';
import { PICKLED_HEAD, SETFIT_CONFIG } from '../sentence-files.js';
import { type FittedHead, fittedHead } from './head.js';

export interface SetFitModel {
  readonly head: FittedHead;
  /** Embeddings have length 1 before the head reads them. */
  readonly normalised: boolean;
  /** In column order. */
  readonly labels: readonly string[];
  /** Absolute. */
  readonly files: readonly string[];
}

/** Throws OnnxError where the folder has no head, or one that cannot be read as data. */
export function openSetFit(folder: string): SetFitModel {
  const head = fittedHead(folder);
  if (head === undefined)
    throw new OnnxError(`${folder}: expected the head of a SetFit model (${PICKLED_HEAD}), found none`, {
      code: 'MODEL_DAMAGED',
      hint: 'Save the whole model: SetFitModel.save_pretrained writes the head too.',
    });
  const path = join(folder, SETFIT_CONFIG);
  if (!existsSync(path)) return { head, normalised: false, labels: head.classes.map(String), files: [head.file] };
  const json = parseCheckpointJson(path, readFileSync(path, 'utf8'));
  if (!isObject(json)) throw damaged(path, 'JSON that is not an object');
  const config = new ModelConfig(json, path, {}, 'Only classifiers of whole texts are converted.');
  config.only('span_context');
  config.only('spacy_model');
  return {
    head,
    normalised: config.flag('normalize_embeddings', false),
    labels: labelsOf(head, config),
    files: [path, head.file],
  };
}

/** The names that the config has for numbered classes, else the classes themselves. */
function labelsOf({ classes }: FittedHead, config: ModelConfig): readonly string[] {
  const named = config.list('labels');
  const labels = classes.map((label) => (typeof label === 'number' && named.length > 0 ? named[label] : String(label)));
  const known = labels.filter((label) => label !== undefined);
  if (known.length === classes.length && new Set(known).size === known.length) return known;
  throw config.refuse('labels', `a name for each class of the head (${classes.slice(0, 10).join(', ')})`);
}

/** Logits of embeddings [batch, width], [batch, labels]. Throws OnnxError where the head was fitted to another width. */
export function setFitLogits(d: Drawing, embedding: string, width: number, { head, normalised }: SetFitModel): string {
  const { g } = d;
  if (head.width !== width) throw damaged(head.file, `a head of ${head.width} numbers for embeddings of ${width}`);
  const named = (leaf: string, dims: readonly number[], values: Float32Array) =>
    g.shared(new Tensor({ name: `classifier.${leaf}`, type: DataType.float, dims, read: () => values }));
  const matrix = named('weight', [width, head.classes.length], head.weight);
  const product = g.matmul(normalised ? normalise(d, embedding) : embedding, matrix);
  return g.add(product, named('bias', [head.classes.length], head.bias));
}
