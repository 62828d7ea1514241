/** @file Which of a graph's inputs and outputs is which. */
import { ORT_TYPES } from '../../../packages/onnx/src/graph/data-type.js';
import type { Graph } from '../../../packages/onnx/src/graph/model.js';
import { ModelError } from '../../core/errors.js';
import type { Role, Wiring } from '../workers/feeds.js';
import type { Port, Ports } from '../workers/session.js';
import type { Description } from './describe.js';
import { CONTENT } from './input-kinds.js';
import { inputColumns, reachesLookup } from './lookups.js';

const ROLES: readonly (readonly [RegExp, Role])[] = [
  [/^(attention_mask|input_mask|mask)$/, 'mask'],
  [/^(token_type_ids|segment_ids)$/, 'types'],
  [/^position_ids$/, 'positions'],
];

const FLOATS = ['float32', 'float64', 'float16'];
const TYPES = { ids: ['int64', 'int32', 'float32'], features: ['float32', 'float64'], strings: ['string'] };

/** Throws ModelError (MODEL_INPUT_MISMATCH, MODEL_OUTPUT_MISMATCH). */
export function wire(model: Description, ports: Ports): Wiring {
  const content = CONTENT[model.input.kind];
  const named = [model.input.name ?? []].flat();
  const roles = ports.inputs.map((port): [Port, Role] => [
    port,
    named.includes(port.name) ? content : (ROLES.find(([pattern]) => pattern.test(port.name))?.[1] ?? content),
  ]);
  const contents = roles.flatMap(([port, role]) => (role === content ? [port] : []));
  const [chosen, second] = contentPorts(model, ports, contents);
  const [batch, length] = chosen.shape;
  const fixedLength = typeof length === 'number' && content === 'ids' ? length : undefined;
  const columns = content === 'strings' && length === 2;
  const roleOf = (port: Port, role: Role): Role =>
    port === second ? 'second' : columns && port === chosen ? 'pairs' : role;
  return {
    inputs: roles.map(([port, role]) => ({
      name: port.name,
      type: ORT_TYPES[port.type as keyof typeof ORT_TYPES] ?? ORT_TYPES.int64,
      role: roleOf(port, role),
      rank: port.shape.length,
    })),
    output: output(model, ports),
    pairs: columns || second ? true : undefined,
    firstPosition: model.firstPosition,
    fixedBatch: typeof batch === 'number' ? batch : undefined,
    fixedLength,
    padId: fixedLength === undefined ? undefined : model.padId,
  };
}

/** The input of the text, and that of the second text of a pair where there is one. */
function contentPorts(model: Description, ports: Ports, contents: readonly Port[]): [first: Port, second?: Port] {
  const content = CONTENT[model.input.kind];
  const named = [model.input.name ?? []].flat();
  const [chosen, second] =
    named.length === 0 ? contents : named.map((name) => contents.find((port) => port.name === name));
  const most = named.length || (content === 'strings' ? 2 : 1);
  const missing = chosen === undefined || (named.length === 2 && second === undefined);
  if (missing || contents.length > most) throw inputs(model, ports, expectedContent(content, named));
  const found: [Port, Port?] = second === undefined ? [chosen] : [chosen, second];
  const wrong = found.find((port) => !TYPES[content].includes(port?.type ?? ''));
  if (wrong !== undefined) throw inputs(model, ports, `"${wrong.name}" to take ${TYPES[content].join(' or ')}`);
  return found;
}

/** The inputs that hold a model's texts, in words. */
function expectedContent(content: string, named: readonly string[]): string {
  const [first, ...others] = named.map((name) => `"${name}"`);
  if (first === undefined)
    return `one input of ${content}${content === 'strings' ? ', or two for pairs of texts' : ''}`;
  return `${others.length === 0 ? 'an input' : 'inputs'} ${[first, ...others].join(' and ')} of ${content}`;
}

/**
 * Holds what the graph does with its input against what it would be fed: ids that are looked up, or numbers it calculates with.
 * `features`: columns of a row, where texts become such. Throws ModelError (MODEL_INPUT_MISMATCH).
 */
export function checkInput(
  model: Description,
  ports: Ports,
  wiring: Wiring,
  graph: Graph | undefined,
  features?: number,
): void {
  const { name, role } = wiring.inputs.find((input) => input.role === 'ids' || input.role === 'features') ?? {};
  if (name === undefined) return;
  const port = ports.inputs.find((each) => each.name === name);
  // TF.js itself says which inputs it looks up, by their type.
  const looked = graph === undefined ? port?.type === 'int32' : reachesLookup(graph, name);
  if (role === 'ids' && !looked) {
    const what = model.input.kind === 'tokenizer' ? 'tokens' : 'words';
    throw new ModelError(
      `${model.model}: expected a graph that looks ids of ${what} up in a table, got one that calculates with it: its input "${name}" takes features of a text`,
      {
        code: 'MODEL_INPUT_MISMATCH',
        hint: 'Say in a robust.json how texts become features: "input": { "kind": "counts" | "tfidf" | "hashing", ... }.',
      },
    );
  }
  if (features === undefined) return;
  if (looked)
    throw new ModelError(
      `${model.model}: expected an input of features, got "${name}": the graph looks what it holds up in a table, as ids`,
      {
        code: 'MODEL_INPUT_MISMATCH',
        hint: 'Say "input": { "kind": "tokenizer" } or { "kind": "word-index", ... } in the robust.json.',
      },
    );
  const declared = port?.shape.at(-1);
  const taken =
    typeof declared === 'number' ? { columns: declared, by: `"${name}"` } : graph && inputColumns(graph, name);
  if (taken === undefined || taken.columns === features || (taken.least && taken.columns <= features)) return;
  throw new ModelError(
    `${model.model}: ${taken.by}: expected ${taken.least ? 'at least ' : ''}${taken.columns} features, got ${features}`,
    {
      code: 'MODEL_INPUT_MISMATCH',
      hint: 'Vocabulary (or buckets) and model do not belong together: export both from one vectorizer.',
    },
  );
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
      code: 'MODEL_OUTPUT_MISMATCH',
      hint: maps
        ? 'Export a scikit-learn model with options={"zipmap": False}, so that its probabilities are a tensor.'
        : 'Name the output in a robust.json: "output": { "name": "..." }.',
    },
  );
}

function inputs(model: Description, ports: Ports, expected: string): ModelError {
  return new ModelError(`${model.model}: expected ${expected}, got ${list(ports.inputs)}`, {
    code: 'MODEL_INPUT_MISMATCH',
    hint: `Name the input in a robust.json: "input": { "kind": ${Object.keys(CONTENT).join(' | ')}, "name": "..." }.`,
  });
}

const list = (ports: readonly Port[]): string =>
  ports.map(({ name, type, shape }) => `${name} (${type ?? 'map'} [${shape.join(', ')}])`).join(', ') || 'none';
