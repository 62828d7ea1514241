/**
 * @file KServe V2, the Open Inference Protocol, as Triton, MLServer, OpenVINO and KServe speak it
 * (https://github.com/kserve/open-inference-protocol, specification/protocol/inference_rest.md), with its binary and its classification extension.
 */
import { z } from 'zod';
import { defined } from '../core/defined.js';
import { TEXTS_PER_REQUEST } from '../core/endpoint.js';
import {
  checkRows,
  type EndpointAccess,
  headerOf,
  jsonIn,
  malformed,
  type Question,
  unsuitable,
  type WireAnswer,
} from './client.js';
import { excerpt, isObject, type JsonObject } from './json.js';
import { JSON_LENGTH, joinTensors, readTensor, splitTensors, writeTexts } from './kserve-tensors.js';
import { protocol } from './protocol.js';

const FLOATS = ['FP16', 'FP32', 'FP64', 'BF16'];
/** More than any text classifier has; Triton answers as many as there are. */
const ALL_CLASSES = 1000;
const URL_HINT = 'For example: --model kserve+http://host:8000/v2/models/NAME';
/** The usual name of the input, if a server does not list its inputs. */
const INPUT = 'text';

export const kserveV2 = protocol({
  name: 'kserve-v2',
  prefix: 'kserve',
  settings: {
    /** Send tensors as bytes behind the JSON. */
    binary: z.boolean().optional(),
    /** Ask by Triton's classification extension, which names the labels. */
    classification: z.boolean().optional(),
  },
  async connect(endpoint) {
    const { settings } = endpoint;
    const url = endpoint.url.replace(/\/infer$/, '');
    if (!/\/v2\/models\/[^/]+(\/versions\/[^/]+)?$/.test(new URL(url).pathname))
      throw unsuitable(
        `${endpoint.redact(url)}: expected the address of a model, which ends in /v2/models/NAME`,
        URL_HINT,
      );
    const metadata = await endpoint.get(url);
    if (!isObject(metadata))
      throw unsuitable(`${endpoint.redact(url)}: expected metadata, got ${excerpt(metadata)}`, URL_HINT);
    const input = inputOf(tensorsIn(metadata.inputs), endpoint);
    const output = outputOf(tensorsIn(metadata.outputs), endpoint);
    const classification = settings.classification === true;
    const binary = settings.binary ?? (output?.datatype === 'FP16' && !classification);
    if (binary) await checkBinary(endpoint, url.replace(/\/models\/.*$/, ''));
    let labels = endpoint.labels ?? output?.labels;
    return {
      labels: () => labels,
      scores: () => settings.scores ?? (isLabel(output) ? 'labels' : undefined),
      batch: settings.batch ?? TEXTS_PER_REQUEST,
      announced: output?.announced,
      facts: factsOf(metadata),
      request(questions) {
        const texts = questions.map(([text]) => text);
        const head = { name: input.name, shape: input.rank === 2 ? [texts.length, 1] : [texts.length] };
        const parameters = {
          ...(classification && { classification: labels?.length ?? ALL_CLASSES }),
          ...(binary && { binary_data: true }),
        };
        const outputs = output && [{ name: output.name, ...(Object.keys(parameters).length > 0 && { parameters }) }];
        return { url: `${url}/infer`, ...inferRequest(head, texts, outputs, binary) };
      },
      rows(answer, questions) {
        const tensor = tensorOf(answer, output?.name);
        if (tensor.datatype === 'BYTES') {
          const read = classRows(tensor, questions);
          labels ??= read.labels;
          return checkRows(read.rows, questions.length, labels?.length);
        }
        return rowsOf(tensor, questions, labels, isLabel(tensor) || settings.scores === 'labels');
      },
    };
  },
});

interface TensorFacts {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
  /** A parameter of an output by which some servers name its columns. */
  readonly labels?: readonly string[] | undefined;
  /** The facts that a server of robust announces with an output. */
  readonly announced?: unknown;
}

/** A tensor of an answer; `data` row-major, numbers or texts. */
interface AnsweredTensor extends TensorFacts {
  readonly data: readonly unknown[];
}

/** It holds one number a text, which is the label's column. */
const isLabel = (tensor: TensorFacts | undefined): boolean =>
  tensor !== undefined && /^U?INT\d+$/.test(tensor.datatype);

const tensorFacts = ({ name, datatype, shape }: JsonObject) => ({
  name: String(name),
  datatype: String(datatype),
  shape: Array.isArray(shape) ? shape.map(Number) : [],
});

const tensorsIn = (list: unknown): TensorFacts[] =>
  (Array.isArray(list) ? list.filter(isObject) : [])
    .filter(({ name }) => typeof name === 'string')
    .map((each) => {
      const { labels, robust } = isObject(each.parameters) ? each.parameters : ({} as JsonObject);
      const named = Array.isArray(labels) && labels.every((label) => typeof label === 'string');
      return { ...tensorFacts(each), labels: named ? labels : undefined, announced: robust };
    });

const listOf = (tensors: readonly TensorFacts[]): string =>
  tensors.map(({ name, datatype, shape }) => `${name} (${datatype} [${shape}])`).join(', ');

/** The input of texts; of the usual name if the server does not list its inputs. */
function inputOf(inputs: readonly TensorFacts[], { input: wanted, url, redact }: EndpointAccess) {
  const texts = inputs.filter(({ datatype }) => datatype === 'BYTES');
  const found = wanted === undefined ? texts[0] : inputs.find(({ name }) => name === wanted);
  if (found === undefined && inputs.length > 0)
    throw unsuitable(
      `${redact(url)}: expected an input of texts (BYTES)${wanted ? ` called "${wanted}"` : ''}, got ${listOf(inputs)}`,
      'Serve the tokenizer with the model, as an ensemble that takes texts; or name the input in a robust.json: "input": { "name": ... }.',
    );
  if (wanted === undefined && texts.length > 1)
    throw unsuitable(
      `${redact(url)}: expected one input of texts, got ${listOf(texts)}`,
      'Name it in a robust.json: "input": { "name": ... }.',
    );
  return { name: found?.name ?? wanted ?? INPUT, rank: found?.shape.length ?? 1 };
}

/** The output of scores; undefined if the server does not list its outputs: then the first one of an answer is read. */
function outputOf(outputs: readonly TensorFacts[], { output: wanted, url, redact }: EndpointAccess) {
  if (wanted !== undefined) {
    const found = outputs.find(({ name }) => name === wanted);
    if (found !== undefined || outputs.length === 0)
      return found ?? { name: wanted, datatype: '', shape: [], labels: undefined };
    throw unsuitable(
      `${redact(url)}: expected an output called "${wanted}", got ${listOf(outputs)}`,
      'Correct "output": { "name": ... } in the robust.json.',
    );
  }
  const scores = outputs.filter(({ datatype }) => FLOATS.includes(datatype));
  const likely = scores.length > 1 ? scores.filter(({ name }) => /logit|prob|score/i.test(name)) : scores;
  if (likely.length === 1) return likely[0];
  if (scores.length > 1)
    throw unsuitable(
      `${redact(url)}: expected one output of scores, got ${listOf(scores)}`,
      'Name it in a robust.json: "output": { "name": ... }.',
    );
  return outputs[0];
}

async function checkBinary({ tryGet, redact }: EndpointAccess, server: string): Promise<void> {
  const about = await tryGet(server);
  const extensions = isObject(about) && Array.isArray(about.extensions) ? about.extensions : [];
  if (extensions.includes('binary_tensor_data')) return;
  throw unsuitable(
    `${redact(server)}: expected the extension binary_tensor_data, which FP16 and "binary": true need, got ${excerpt(extensions)}`,
    'Leave "binary" out, or let the model answer FP32.',
  );
}

const factsOf = ({ name, versions, platform }: JsonObject): Record<string, string> => ({
  ...(typeof name === 'string' && { model: name }),
  ...(Array.isArray(versions) && versions.length > 0 && { version: versions.join(',') }),
  ...(typeof platform === 'string' && { platform }),
});

function inferRequest(
  input: object,
  texts: readonly string[],
  outputs: readonly object[] | undefined,
  binary: boolean,
) {
  const head = { ...input, datatype: 'BYTES' };
  if (!binary) return { body: JSON.stringify({ inputs: [{ ...head, data: texts }], ...defined({ outputs }) }) };
  const raw = writeTexts(texts);
  const { headers, bytes: body } = joinTensors(
    {
      inputs: [{ ...head, parameters: { binary_data_size: raw.length } }],
      ...(outputs ? { outputs } : { parameters: { binary_data_output: true } }),
    },
    [raw],
  );
  return { headers, body };
}

function tensorOf({ headers, bytes }: WireAnswer, name: string | undefined): AnsweredTensor {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = headerOf(headers, JSON_LENGTH);
  const parts = header === undefined ? undefined : splitTensors(body, header);
  if (header !== undefined && parts === undefined) throw malformed(`${header} bytes of JSON`, `${body.length}`);
  const read = jsonIn(parts?.json ?? body.toString('utf8'));
  const outputs: readonly unknown[] = isObject(read) && Array.isArray(read.outputs) ? read.outputs : [];
  let at = 0;
  const tensors = outputs.filter(isObject).map((each) => {
    const size = isObject(each.parameters) ? each.parameters.binary_data_size : undefined;
    if (parts === undefined || typeof size !== 'number') return each;
    const raw = parts.tensors.subarray(at, at + size);
    at += size;
    const data = raw.length === size ? readTensor(String(each.datatype), raw) : undefined;
    if (data === undefined) throw malformed(`${size} bytes of ${each.datatype} for "${each.name}"`, `${raw.length}`);
    return { ...each, data };
  });
  const withData = tensors.filter((each: JsonObject) => Array.isArray(each.data));
  const found = name === undefined ? withData[0] : withData.find((each: JsonObject) => each.name === name);
  if (found === undefined) throw malformed(`an output${name ? ` "${name}"` : ''} with data`, read);
  // Flat or nested, as the protocol allows.
  return { ...tensorFacts(found), data: (found.data as unknown[]).flat(Number.POSITIVE_INFINITY) };
}

function rowsOf(
  { data, shape }: AnsweredTensor,
  { length: n }: readonly Question[],
  labels: readonly string[] | undefined,
  labelsAlone: boolean,
) {
  if (shape[0] !== undefined && shape[0] !== n) throw malformed(`${n} rows for as many texts`, `the shape [${shape}]`);
  if (data.length === 0 || data.length % n !== 0)
    throw malformed(`${n} rows for as many texts`, `${data.length} numbers`);
  const width = data.length / n;
  const rows = Array.from({ length: n }, (_, row) => data.slice(row * width, (row + 1) * width));
  if (!labelsAlone) return checkRows(rows, n, labels !== undefined && labels.length > 2 ? labels.length : undefined);
  if (width !== 1) throw malformed('one label a text', `${width} numbers`);
  return checkRows(
    rows.map(([label]) => oneHot(label, labels)),
    n,
  );
}

function oneHot(label: unknown, labels: readonly string[] | undefined): number[] {
  if (labels === undefined)
    throw unsuitable(
      'the endpoint answers column numbers of labels, and does not say how many labels there are',
      'Name them: "labels": ["negative", "positive"] in a robust.json; or let the server return probabilities (KServe: --return_probabilities).',
    );
  if (typeof label !== 'number' || !(label in labels)) throw malformed(`a label from 0 to ${labels.length - 1}`, label);
  return labels.map((_, at) => (at === label ? 1 : 0));
}

/** "value:index[:label]", the best first. */
function classRows({ data }: AnsweredTensor, questions: readonly Question[]) {
  const width = data.length / questions.length;
  if (!Number.isInteger(width) || width === 0)
    throw malformed(`classes of ${questions.length} texts`, `${data.length}`);
  const names: string[] = [];
  const rows = questions.map((_, text) => {
    const row = new Array<number>(width).fill(Number.NaN);
    for (const each of data.slice(text * width, (text + 1) * width)) {
      const [, value, index, label] = /^([^:]+):(\d+)(?::(.*))?$/s.exec(String(each)) ?? [];
      if (value === undefined || Number(index) >= width) throw malformed(`"value:index:label", below ${width}`, each);
      row[Number(index)] = Number(value);
      if (label !== undefined) names[Number(index)] = label;
    }
    return row;
  });
  return { rows, labels: names.filter(() => true).length === width ? names : undefined };
}
