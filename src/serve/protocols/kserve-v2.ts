/**
 * @file The Open Inference Protocol, version 2 of KServe's, which Triton, MLServer and OpenVINO speak too, with its binary and classification
 * extensions. https://github.com/kserve/open-inference-protocol
 */
import { floatToHalf } from '../../core/half.js';
import { parseJson } from '../../core/json.js';
import {
  checkName,
  type JsonBody,
  numbers,
  type RawReply,
  Refusal,
  type ServedProtocol,
  type ServedRequest,
  type ServingChoice,
} from '../protocol.js';
import { listAt, objectAt, shownValue, textAt } from '../texts.js';

/** Name of the input. */
const INPUT = 'text';
/** Bytes of the JSON in front of the tensors, where a body holds both. */
const JSON_LENGTH = 'inference-header-content-length';

/** A tensor of an answer. */
interface OutputTensor {
  readonly name: string;
  readonly datatype: 'FP32' | 'FP16' | 'BYTES';
  /** [texts, columns] */
  readonly shape: readonly [number, number];
  /** Row-major. */
  readonly data: readonly (number | string)[];
  readonly parameters?: object;
}

export const kserveV2: ServedProtocol = {
  name: 'kserve-v2',
  carries: ['label-sets', 'numbers'],
  modelAt: (url, { name }) => `kserve+${url}/v2/models/${encodeURIComponent(name)}`,
  error: ({ message }) => ({ error: message }),
  routes: (choice) => {
    const { model, toolVersion } = choice;
    const version = model.sha256.slice(0, 12);
    const extensions = ['binary_tensor_data', 'classification'];
    const known = ({ groups: [name, asked] }: ServedRequest): void => {
      checkName(name, model);
      if (asked !== undefined && asked !== version) {
        throw new Refusal(404, `expected the version "${version}" of ${model.name}, got "${asked}"`);
      }
    };
    const get = (path: RegExp, answer: (request: ServedRequest) => object) => ({
      method: 'GET' as const,
      path,
      answer,
    });
    return [
      get(/^\/v2\/?$/, () => ({ name: 'robust', version: toolVersion, extensions })),
      get(/^\/v2\/health\/live$/, () => ({ live: true })),
      get(/^\/v2\/health\/ready$/, () => ({ ready: true })),
      get(/^\/v2\/models\/([^/]+)(?:\/versions\/([^/]+))?\/ready$/, (request) => {
        known(request);
        return { name: model.name, ready: true };
      }),
      get(/^\/v2\/models\/([^/]+)(?:\/versions\/([^/]+))?$/, (request) => {
        known(request);
        return {
          name: model.name,
          versions: [version],
          platform: 'onnxruntime_onnx',
          inputs: [{ name: INPUT, datatype: 'BYTES', shape: [-1] }],
          outputs: [
            {
              name: choice.kind,
              datatype: choice.datatype,
              shape: [-1, model.labels.length],
              parameters: {
                labels: model.labels,
                ...(model.announced && { robust: { ...model.announced, scores: choice.kind } }),
              },
            },
          ],
        };
      }),
      {
        method: 'POST',
        path: /^\/v2\/models\/([^/]+)(?:\/versions\/([^/]+))?\/infer$/,
        answer: async (request) => {
          known(request);
          return infer(request, choice, version);
        },
      },
    ];
  },
};

async function infer(
  request: ServedRequest,
  { model, kind, datatype }: ServingChoice,
  version: string,
): Promise<object | RawReply> {
  const { body, tensors } = parts(request);
  const texts = textsOf(body, tensors);
  const rows = await request.ask(texts, kind);
  const wanted =
    body.outputs === undefined
      ? [{ name: kind }]
      : listAt(body.outputs, 'outputs').map((each, at) => objectAt(each, `outputs[${at}]`));
  const allBinary = parametersOf(body).binary_data_output === true;
  const binary: Buffer[] = [];
  const outputs = wanted.map((output) => {
    if (output.name !== kind)
      throw new Refusal(400, `outputs: expected the output "${kind}", got ${shownValue(output.name)}`);
    const { classification, binary_data: own } = parametersOf(output);
    const tensor =
      classification === undefined
        ? scoresTensor(kind, datatype, rows, model.labels.length)
        : classesTensor(kind, rows, model.labels, classification);
    if (!((own as boolean | undefined) ?? allBinary)) {
      if (tensor.datatype !== 'FP16') return tensor;
      throw new Refusal(
        400,
        'FP16: expected it to be asked for as bytes ("binary_data": true), JSON has no such numbers',
      );
    }
    const bytes = bytesOf(tensor);
    binary.push(bytes);
    const { data: _, ...described } = tensor;
    return { ...described, parameters: { binary_data_size: bytes.length } };
  });
  const id = typeof body.id === 'string' ? { id: body.id } : {};
  const answer = { model_name: model.name, model_version: version, ...id, outputs };
  if (binary.length === 0) return answer;
  const json = Buffer.from(JSON.stringify(answer));
  return {
    headers: { 'content-type': 'application/octet-stream', [JSON_LENGTH]: String(json.length) },
    bytes: Buffer.concat([json, ...binary]),
  };
}

const parametersOf = (from: JsonBody): JsonBody => objectAt(from.parameters ?? {}, 'parameters');

/** The JSON of a body, and the bytes of tensors behind it. */
function parts({ headers, bytes, json }: ServedRequest): { body: JsonBody; tensors: Buffer } {
  const written = headers[JSON_LENGTH];
  if (written === undefined) return { body: json(), tensors: Buffer.alloc(0) };
  const length = Number(written);
  if (!Number.isInteger(length) || length < 2 || length > bytes.length) {
    throw new Refusal(
      400,
      `${JSON_LENGTH}: expected at most the ${bytes.length} bytes of the body, got ${shownValue(written)}`,
    );
  }
  try {
    return {
      body: objectAt(parseJson(bytes.toString('utf8', 0, length)), 'the body'),
      tensors: bytes.subarray(length),
    };
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal(400, `expected JSON in the first ${length} bytes of the body`);
  }
}

/** The texts of the one input, whose data may be flat or nested, shape [n] or [n, 1]. */
function textsOf(body: JsonBody, tensors: Buffer): string[] {
  const inputs = listAt(body.inputs, 'inputs');
  const [input, ...others] = inputs.map((each, at) => objectAt(each, `inputs[${at}]`));
  if (input === undefined || others.length > 0)
    throw new Refusal(400, `inputs: expected the one input "${INPUT}", got ${inputs.length}`);
  const { name, datatype, shape, data } = input;
  if (name !== INPUT) throw new Refusal(400, `inputs[0].name: expected "${INPUT}", got ${shownValue(name)}`);
  if (datatype !== 'BYTES') throw new Refusal(400, `inputs[0].datatype: expected "BYTES", got ${shownValue(datatype)}`);
  const [count, one = 1, ...more] = listAt(shape, 'inputs[0].shape');
  if (!Number.isInteger(count) || one !== 1 || more.length > 0) {
    throw new Refusal(400, `inputs[0].shape: expected [n] or [n, 1], got ${shownValue(shape)}`);
  }
  const size = parametersOf(input).binary_data_size;
  const texts =
    size === undefined
      ? listAt(data, 'inputs[0].data')
          .flat(1)
          .map((each, at) => textAt(each, `inputs[0].data[${at}]`))
      : stringsIn(tensors, size);
  if (texts.length === count) return texts;
  throw new Refusal(400, `inputs[0].data: expected ${count} texts, as its shape says, got ${texts.length}`);
}

/** Each is its length in bytes, 32 bits, little-endian, then its UTF-8. */
function stringsIn(tensors: Buffer, size: unknown): string[] {
  if (size !== tensors.length) {
    throw new Refusal(
      400,
      `inputs[0].parameters.binary_data_size: expected the ${tensors.length} bytes behind the JSON, got ${shownValue(size)}`,
    );
  }
  const texts: string[] = [];
  for (let at = 0; at < tensors.length; ) {
    const end = at + 4 <= tensors.length ? at + 4 + tensors.readUInt32LE(at) : Number.POSITIVE_INFINITY;
    if (end > tensors.length)
      throw new Refusal(400, `inputs[0]: expected whole texts behind the JSON, text ${texts.length} ends early`);
    texts.push(textAt(tensors.toString('utf8', at + 4, end), `inputs[0].data[${texts.length}]`));
    at = end;
  }
  return texts;
}

const scoresTensor = (
  name: string,
  datatype: ServingChoice['datatype'],
  rows: readonly Float32Array[],
  width: number,
): OutputTensor => ({
  name,
  datatype,
  shape: [rows.length, width],
  data: rows.flatMap(numbers),
});

/** The best `count` labels of each row as "value:index:label", the best first. */
function classesTensor(
  name: string,
  rows: readonly Float32Array[],
  labels: readonly string[],
  count: unknown,
): OutputTensor {
  if (!Number.isInteger(count) || (count as number) < 1) {
    throw new Refusal(
      400,
      `parameters.classification: expected a whole number of at least 1, got ${shownValue(count)}`,
    );
  }
  const width = Math.min(count as number, labels.length);
  const best = (row: Float32Array): string[] =>
    numbers(row)
      .map((value, index) => ({ value, index }))
      .sort((a, b) => b.value - a.value || a.index - b.index)
      .slice(0, width)
      .map(({ value, index }) => `${value}:${index}:${labels[index]}`);
  return { name, datatype: 'BYTES', shape: [rows.length, width], data: rows.flatMap(best) };
}

function bytesOf({ datatype, data }: OutputTensor): Buffer {
  if (datatype !== 'BYTES') {
    const size = datatype === 'FP32' ? 4 : 2;
    const bytes = Buffer.alloc(size * data.length);
    data.forEach((value, at) => {
      if (datatype === 'FP32') bytes.writeFloatLE(value as number, size * at);
      else bytes.writeUInt16LE(floatToHalf(value as number), size * at);
    });
    return bytes;
  }
  return Buffer.concat(
    data.flatMap((text) => {
      const bytes = Buffer.from(text as string);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(bytes.length);
      return [length, bytes];
    }),
  );
}
