/**
 * @file KServe V2, the Open Inference Protocol, as it is served
 * (https://github.com/kserve/open-inference-protocol, specification/protocol/inference_rest.md), with its binary and its classification extension.
 */
import { quantity } from '../core/figure-text.js';
import { parseJson } from '../core/json.js';
import { headerOf } from '../protocols/client.js';
import { excerpt, type JsonObject } from '../protocols/json.js';
import {
  JSON_LENGTH,
  joinTensors,
  readTexts,
  splitTensors,
  writeFloats,
  writeTexts,
} from '../protocols/kserve-tensors.js';
import {
  countAt,
  listAt,
  numbers,
  objectAt,
  type RawReply,
  Refusal,
  type ServedModel,
  type ServedRequest,
  type ServedRoute,
  textAt,
} from './request.js';

const INPUT = 'text';
const OUTPUT = 'probabilities';

/** The address of a served model for `--model`. */
export const kserveAddress = (url: string, model: string): string =>
  `kserve+${url}/v2/models/${encodeURIComponent(model)}`;

export function kserveV2(model: ServedModel, toolVersion: string): ServedRoute[] {
  const version = model.sha256.slice(0, 12);
  const extensions = ['binary_tensor_data', 'classification'];
  const protocol = 'kserve-v2';
  const get = (path: RegExp, answer: () => object): ServedRoute => ({ protocol, method: 'GET', path, answer });
  const ofModel = (
    method: 'GET' | 'POST',
    path: RegExp,
    answer: (request: ServedRequest) => Promise<object | RawReply> | object,
  ): ServedRoute => ({
    protocol,
    method,
    path,
    answer(request) {
      const [name, wanted = version] = request.groups;
      if (name !== model.name) throw new Refusal(404, `expected the model "${model.name}", got "${name ?? ''}"`);
      if (wanted !== version)
        throw new Refusal(404, `expected the version "${version}" of ${model.name}, got "${wanted}"`);
      return answer(request);
    },
  });
  return [
    get(/^\/v2\/?$/, () => ({ name: 'robust', version: toolVersion, extensions })),
    get(/^\/v2\/health\/live$/, () => ({ live: true })),
    get(/^\/v2\/health\/ready$/, () => ({ ready: true })),
    ofModel('GET', /^\/v2\/models\/([^/]+)(?:\/versions\/([^/]+))?\/ready$/, () => ({ name: model.name, ready: true })),
    ofModel('GET', /^\/v2\/models\/([^/]+)(?:\/versions\/([^/]+))?$/, () => ({
      name: model.name,
      versions: [version],
      platform: 'onnxruntime_onnx',
      inputs: [{ name: INPUT, datatype: 'BYTES', shape: [-1] }],
      outputs: [
        {
          name: OUTPUT,
          datatype: 'FP32',
          shape: [-1, model.labels.length],
          parameters: {
            labels: model.labels,
            ...(model.announced && { robust: { ...model.announced, scores: OUTPUT } }),
          },
        },
      ],
    })),
    ofModel('POST', /^\/v2\/models\/([^/]+)(?:\/versions\/([^/]+))?\/infer$/, (request) =>
      infer(request, model, version),
    ),
  ];
}

/** A tensor of a served answer. */
interface OutputTensor {
  readonly name: string;
  readonly datatype: 'FP32' | 'BYTES';
  /** [texts, columns] */
  readonly shape: readonly [number, number];
  /** Row-major. */
  readonly data: readonly (number | string)[];
}

async function infer(request: ServedRequest, model: ServedModel, version: string): Promise<object | RawReply> {
  const { body, tensors } = partsOf(request);
  const rows = await request.ask(textsIn(body, tensors));
  const wanted =
    body.outputs === undefined
      ? [{ name: OUTPUT }]
      : listAt(body.outputs, 'outputs').map((each, at) => objectAt(each, `outputs[${at}]`));
  const allBinary = parametersOf(body).binary_data_output === true;
  const binary: Buffer[] = [];
  const outputs = wanted.map((output) => {
    if (output.name !== OUTPUT)
      throw new Refusal(400, `outputs: expected the output "${OUTPUT}", got ${excerpt(output.name)}`);
    const { classification, binary_data: asBytes = allBinary } = parametersOf(output);
    const tensor: OutputTensor =
      classification === undefined
        ? { name: OUTPUT, datatype: 'FP32', shape: [rows.length, model.labels.length], data: rows.flatMap(numbers) }
        : classesTensor(rows, model.labels, countAt(classification, 'parameters.classification'));
    if (!asBytes) return tensor;
    const { data, ...described } = tensor;
    const bytes = tensor.datatype === 'BYTES' ? writeTexts(data as string[]) : writeFloats(data as number[]);
    binary.push(bytes);
    return { ...described, parameters: { binary_data_size: bytes.length } };
  });
  const id = typeof body.id === 'string' ? { id: body.id } : {};
  const answer = { model_name: model.name, model_version: version, ...id, outputs };
  return binary.length === 0 ? answer : joinTensors(answer, binary);
}

const parametersOf = (from: JsonObject): JsonObject => objectAt(from.parameters ?? {}, 'parameters');

/** The JSON of a request, and the bytes of tensors behind it. */
function partsOf({ headers, bytes, json }: ServedRequest): { body: JsonObject; tensors: Buffer } {
  const header = headerOf(headers, JSON_LENGTH);
  if (header === undefined) return { body: json(), tensors: Buffer.alloc(0) };
  const parts = splitTensors(bytes, header);
  if (parts === undefined) {
    const most = `the ${quantity(bytes.length, 'byte')} of the body`;
    throw new Refusal(400, `${JSON_LENGTH}: expected at most ${most}, got ${excerpt(header)}`);
  }
  try {
    return { body: objectAt(parseJson(parts.json), 'the body'), tensors: parts.tensors };
  } catch (error) {
    throw error instanceof Refusal
      ? error
      : new Refusal(400, `expected JSON at the start of the body, as long as ${JSON_LENGTH} says (${header})`);
  }
}

/** The texts of the only input, whose data may be flat or nested, shape [n] or [n, 1]. */
function textsIn(body: JsonObject, tensors: Buffer): string[] {
  const inputs = listAt(body.inputs, 'inputs');
  const [input, ...others] = inputs.map((each, at) => objectAt(each, `inputs[${at}]`));
  if (input === undefined || others.length > 0)
    throw new Refusal(400, `inputs: expected the one input "${INPUT}", got ${inputs.length}`);
  const { name, datatype, shape, data } = input;
  if (name !== INPUT) throw new Refusal(400, `inputs[0].name: expected "${INPUT}", got ${excerpt(name)}`);
  if (datatype !== 'BYTES') throw new Refusal(400, `inputs[0].datatype: expected "BYTES", got ${excerpt(datatype)}`);
  const [count, one = 1, ...more] = listAt(shape, 'inputs[0].shape');
  if (!Number.isInteger(count) || one !== 1 || more.length > 0) {
    throw new Refusal(400, `inputs[0].shape: expected [n] or [n, 1], got ${excerpt(shape)}`);
  }
  const size = parametersOf(input).binary_data_size;
  const texts = (size === undefined ? listAt(data, 'inputs[0].data').flat(1) : binaryTexts(tensors, size)).map(
    (each, at) => textAt(each, `inputs[0].data[${at}]`),
  );
  if (texts.length === count) return texts;
  throw new Refusal(
    400,
    `inputs[0].data: expected ${quantity(count as number, 'text')}, as its shape says, got ${texts.length}`,
  );
}

function binaryTexts(tensors: Buffer, size: unknown): string[] {
  if (size !== tensors.length) {
    const expected = `expected the ${quantity(tensors.length, 'byte')} behind the JSON`;
    throw new Refusal(400, `inputs[0].parameters.binary_data_size: ${expected}, got ${excerpt(size)}`);
  }
  const texts = readTexts(tensors);
  if (texts === undefined) throw new Refusal(400, 'inputs[0]: expected whole texts behind the JSON, one ends early');
  return texts;
}

/** The best `count` labels of each row as "value:index:label", the best first. */
function classesTensor(rows: readonly Float32Array[], labels: readonly string[], count: number): OutputTensor {
  const width = Math.min(count, labels.length);
  const best = (row: Float32Array): string[] =>
    numbers(row)
      .map((value, index) => ({ value, index }))
      .sort((a, b) => b.value - a.value || a.index - b.index)
      .slice(0, width)
      .map(({ value, index }) => `${value}:${index}:${labels[index]}`);
  return { name: OUTPUT, datatype: 'BYTES', shape: [rows.length, width], data: rows.flatMap(best) };
}
