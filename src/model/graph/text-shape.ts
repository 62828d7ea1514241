/** @file The symbolic shape of a text classifier's inputs. All inputs have the same shape, whatever the file calls its dimensions. */
import type { Dimension } from '../../../packages/onnx/src/graph/model.js';
import type { SymbolicShape } from '../../../packages/onnx/src/graph/symbolic-shape.js';

/** The batch and the tokens of every input. */
export const TEXTS_AND_TOKENS = ['texts', 'tokens'] as const;

/** Sizes that the file fixes stay; free ones are texts and tokens, in this order. */
export const textShape = (dims: readonly Dimension[] = []): SymbolicShape =>
  dims.map((dim, axis) => (typeof dim === 'number' && dim > 0 ? dim : TEXTS_AND_TOKENS[axis]));
