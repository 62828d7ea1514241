/**
 * @file Graphs of opset 13 to 15 read as opset 16, where scattering can add at repeated indices: what look-ups by computed indices
 * (DeBERTa's relative positions) need on the way back. Between the two, operators of ai.onnx gained types and options whose
 * defaults are what they did before; RoiAlign alone changed.
 */
import { everyNode } from '../../graph/edit.js';
import { type Model, opsetOf } from '../../graph/model.js';

/** The first opset whose ScatterElements and ScatterND add. */
export const ADDING_OPSET = 16;
/** From here on axes are where they are at 16: below, rewriting would be needed. */
export const LIFTABLE_OPSET = 13;

export function raiseOpset(model: Model): Model {
  const opset = opsetOf(model);
  if (opset < LIFTABLE_OPSET || opset >= ADDING_OPSET) return model;
  if (everyNode(model.graph).some(({ op }) => op === 'RoiAlign')) return model;
  return { ...model, opsets: new Map(model.opsets).set('', ADDING_OPSET) };
}
