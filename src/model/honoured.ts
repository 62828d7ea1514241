/** @file Options of loading that not every kind of models honours: where one that does not is given it, it is refused. */
import { ModelError } from '../core/errors.js';
import { noWindows } from './classifiers/windows.js';
import type { LoadOptions } from './loaded-model.js';

/** The error of each option; undefined where it is not given. */
const REFUSED = {
  guard: (spec: string, what: string, { guard }: LoadOptions) =>
    guard &&
    new ModelError(`${spec}: --prompt with answers: expected the checkpoint of a causal language model, got ${what}`, {
      code: 'NOT_A_CLASSIFIER',
      hint: 'Leave the answers out; those of a chat endpoint are --labels.',
    }),
  precision: (spec: string, what: string, { precision }: LoadOptions) =>
    precision === 'int8'
      ? new ModelError(`${spec}: expected an ONNX model, got ${what}: only a graph can be computed in 8 bits`, {
          code: 'PRECISION_UNAVAILABLE',
          hint: 'Leave --runtime precision=... out.',
        })
      : undefined,
  device: (spec: string, what: string, { device }: LoadOptions) =>
    device !== undefined && !['cpu', 'auto'].includes(device)
      ? new ModelError(`--runtime device=${device}: expected an ONNX model in ${spec}, got ${what}`, {
          code: 'DEVICE_UNAVAILABLE',
          hint: 'Leave device out.',
        })
      : undefined,
  windows: (spec: string, what: string, { windows }: LoadOptions) => windows && noWindows(spec, what),
  tags: (spec: string, what: string, { decision }: LoadOptions) =>
    decision === 'tags'
      ? new ModelError(`${spec}: expected a model that tags tokens, got ${what}`, {
          code: 'NOT_A_TAGGER',
          hint: 'Name a model of the class ...ForTokenClassification, or leave --task tags out.',
        })
      : undefined,
} as const;

export type HonouredOption = keyof typeof REFUSED;

/** Throws ModelError for an option besides `honoured` that is given: `spec` names `what`. */
export function refuseOthers(
  honoured: readonly HonouredOption[],
  spec: string,
  what: string,
  options: LoadOptions,
): void {
  for (const [option, refusal] of Object.entries(REFUSED)) {
    const error = honoured.some((each) => each === option) ? undefined : refusal(spec, what, options);
    if (error !== undefined) throw error;
  }
}
