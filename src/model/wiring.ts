/** @file Which of a graph's inputs and outputs is which. */
import { ModelError } from '../core/errors.js';
import type { Description } from './describe.js';
import type { Port, Ports, Role, Wiring } from './session.js';

const ROLES: readonly (readonly [RegExp, Role])[] = [
  [/^(attention_mask|input_mask|mask)$/, 'mask'],
  [/^(token_type_ids|segment_ids)$/, 'types'],
  [/^position_ids$/, 'positions'],
];

const FLOATS = ['float32', 'float64', 'float16'];
const TYPES = { ids: ['int64', 'int32', 'float32'], strings: ['string'] };

/** Throws ModelError (MODEL_INPUT_UNKNOWN, MODEL_OUTPUT_NOT_FOUND). */
export function wire(model: Description, ports: Ports): Wiring {
  const content = model.input.kind === 'string' ? 'strings' : 'ids';
  const named = model.input.name;
  const roles = ports.inputs.map((port): [Port, Role] => [
    port,
    port.name === named ? content : (ROLES.find(([pattern]) => pattern.test(port.name))?.[1] ?? content),
  ]);
  const contents = roles.filter(([, role]) => role === content);
  const chosen = contents[0]?.[0];
  if (contents.length !== 1 || chosen === undefined || (named !== undefined && chosen.name !== named)) {
    throw inputs(model, ports, named === undefined ? `one input of ${content}` : `an input "${named}" of ${content}`);
  }
  if (!TYPES[content].includes(chosen.type ?? '')) {
    throw inputs(model, ports, `"${chosen.name}" to take ${TYPES[content].join(' or ')}`);
  }
  const [batch, length] = chosen.shape;
  return {
    inputs: roles.map(([port, role]) => ({
      name: port.name,
      type: port.type ?? 'int64',
      role,
      rank: port.shape.length,
    })),
    output: output(model, ports),
    ...(typeof batch === 'number' ? { fixedBatch: batch } : {}),
    ...(typeof length === 'number' && content === 'ids' ? { fixedLength: length, padId: model.padId } : {}),
  };
}

function output(model: Description, ports: Ports): string {
  const wanted = model.output.name;
  const floats = ports.outputs.filter(({ type }) => FLOATS.includes(type ?? ''));
  const found =
    wanted === undefined
      ? (floats.find(({ name }) => name === 'logits') ?? (floats.length === 1 ? floats[0] : undefined))
      : floats.find(({ name }) => name === wanted);
  if (found !== undefined) return found.name;
  const maps = ports.outputs.some(({ type }) => type === undefined);
  throw new ModelError(
    `${model.model}: expected ${wanted === undefined ? 'one float output of class scores' : `a float output "${wanted}"`}, got ${list(ports.outputs)}`,
    {
      code: 'MODEL_OUTPUT_NOT_FOUND',
      hint: maps
        ? 'Export a scikit-learn model with options={"zipmap": False}, so that its probabilities are a tensor.'
        : 'Name the output in a robust.json: "output": { "name": "..." }.',
    },
  );
}

function inputs(model: Description, ports: Ports, expected: string): ModelError {
  return new ModelError(`${model.model}: expected ${expected}, got ${list(ports.inputs)}`, {
    code: 'MODEL_INPUT_UNKNOWN',
    hint: 'Name the input in a robust.json: "input": { "kind": "tokenizer" | "word-index" | "string", "name": "..." }.',
  });
}

const list = (ports: readonly Port[]): string =>
  ports.map(({ name, type, shape }) => `${name} (${type ?? 'map'} [${shape.join(', ')}])`).join(', ') || 'none';
