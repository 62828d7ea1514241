/**
 * @file KServe V2, the Open Inference Protocol, as Triton, MLServer, OpenVINO and KServe speak it
 * (https://github.com/kserve/open-inference-protocol, specification/protocol/inference_rest.md); with its binary extension
 * (https://docs.nvidia.com/deeplearning/triton-inference-server, extension_binary_data) and its classification extension.
 */
import { TEXTS_PER_REQUEST } from '../../core/endpoint.js';
import { isObject, type JsonObject, shown } from '../json.js';
import { type Adapter, checkedRows, garbled, type Inquiry, jsonOf, type Question, unfit } from '../protocol.js';
import type { WireAnswer } from '../transport.js';
import { binaryRequest, readBinary } from './kserve-binary.js';

interface TensorFacts {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
  /** Of an output: a parameter by which some servers name its columns. */
  readonly labels?: readonly string[] | undefined;
  /** Of an output of robust: what its scores mean. */
  readonly announced?: unknown;
}

/** A tensor of an answer; `data` row-major, numbers or texts. */
interface AnsweredTensor extends TensorFacts {
  readonly data: readonly unknown[];
}

const FLOATS = ['FP16', 'FP32', 'FP64', 'BF16'];
const HINT_URL = 'For example: --model kserve+http://host:8000/v2/models/NAME';

export async function kserveV2(inquiry: Inquiry): Promise<Adapter> {
  const { settings } = inquiry;
  const url = inquiry.url.replace(/\/infer$/, '');
  if (!/\/v2\/models\/[^/]+(\/versions\/[^/]+)?$/.test(new URL(url).pathname)) {
    throw unfit(`${inquiry.shown(url)}: expected the address of a model, which ends in /v2/models/NAME`, HINT_URL);
  }
  const metadata = await inquiry.get(url);
  if (!isObject(metadata)) throw unfit(`${inquiry.shown(url)}: expected metadata, got ${shown(metadata)}`, HINT_URL);
  const input = inputOf(tensorsIn(metadata.inputs), inquiry);
  const output = outputOf(tensorsIn(metadata.outputs), inquiry);
  const classification = settings.classification === true;
  const binary = settings.binary ?? (output?.datatype === 'FP16' && !classification);
  if (binary) await checkBinary(inquiry, url.replace(/\/models\/.*$/, ''));
  let labels = inquiry.labels ?? output?.labels;
  return {
    get labels() {
      return labels;
    },
    scores: settings.scores ?? (isLabel(output) ? 'labels' : undefined),
    batch: settings.batch ?? TEXTS_PER_REQUEST,
    announced: output?.announced,
    facts: factsOf(metadata),
    request(questions) {
      const texts = questions.map(([text]) => text);
      const shape = input.rank === 2 ? [texts.length, 1] : [texts.length];
      const wanted = output && {
        name: output.name,
        ...(classification && { parameters: { classification: labels?.length ?? ALL_CLASSES } }),
      };
      const outputs = wanted === undefined ? {} : { outputs: [wanted] };
      const head = { name: input.name, shape, datatype: 'BYTES' };
      if (binary) return { url: `${url}/infer`, ...binaryRequest(head, texts, outputs) };
      return { url: `${url}/infer`, body: JSON.stringify({ inputs: [{ ...head, data: texts }], ...outputs }) };
    },
    rows(answer, questions) {
      const tensor = answeredTensor(answer, output?.name);
      if (tensor.datatype === 'BYTES') {
        const read = classified(tensor, questions);
        labels ??= read.labels;
        return checkedRows(read.rows, questions.length, labels?.length);
      }
      return rowsOf(tensor, questions, labels, isLabel(tensor) || settings.scores === 'labels');
    },
  };
}

/** More than any text classifier has: Triton answers as many as there are. */
const ALL_CLASSES = 1000;

/** A number a text, and no score: which label it is. */
const isLabel = (tensor: TensorFacts | undefined): boolean =>
  tensor !== undefined && /^U?INT\d+$/.test(tensor.datatype);

function tensorsIn(list: unknown): TensorFacts[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((each) =>
    isObject(each) && typeof each.name === 'string'
      ? [
          {
            name: each.name,
            datatype: String(each.datatype),
            shape: Array.isArray(each.shape) ? each.shape.map(Number) : [],
            labels: labelsIn(each.parameters),
            announced: isObject(each.parameters) ? each.parameters.robust : undefined,
          },
        ]
      : [],
  );
}

function labelsIn(parameters: unknown): string[] | undefined {
  const labels = isObject(parameters) ? parameters.labels : undefined;
  return Array.isArray(labels) && labels.every((each) => typeof each === 'string') ? labels : undefined;
}

const named = (tensors: readonly TensorFacts[]): string =>
  tensors.map(({ name, datatype, shape }) => `${name} (${datatype} [${shape}])`).join(', ');

/** The input of texts. Servers that do not tell theirs are asked by the usual name. */
function inputOf(inputs: readonly TensorFacts[], { input: wanted, url, shown: told }: Inquiry) {
  const texts = inputs.filter(({ datatype }) => datatype === 'BYTES');
  const found = wanted === undefined ? texts[0] : inputs.find(({ name }) => name === wanted);
  if (found === undefined && inputs.length > 0) {
    throw unfit(
      `${told(url)}: expected an input of texts (BYTES)${wanted ? ` called "${wanted}"` : ''}, got ${named(inputs)}`,
      'Serve the tokenizer with the model, as an ensemble that takes texts; or name the input in a robust.json: "input": { "name": ... }.',
    );
  }
  if (wanted === undefined && texts.length > 1) {
    throw unfit(
      `${told(url)}: expected one input of texts, got ${named(texts)}`,
      'Name it in a robust.json: "input": { "name": ... }.',
    );
  }
  return { name: found?.name ?? wanted ?? 'text', rank: found?.shape.length ?? 1 };
}

/** The output of scores; undefined where the server does not tell its outputs: then it is the first that comes. */
function outputOf(outputs: readonly TensorFacts[], { output: wanted, url, shown: told }: Inquiry) {
  if (wanted !== undefined) {
    const found = outputs.find(({ name }) => name === wanted);
    if (found !== undefined || outputs.length === 0)
      return found ?? { name: wanted, datatype: '', shape: [], labels: undefined };
    throw unfit(
      `${told(url)}: expected an output called "${wanted}", got ${named(outputs)}`,
      'Correct "output": { "name": ... } in the robust.json.',
    );
  }
  const scores = outputs.filter(({ datatype }) => FLOATS.includes(datatype));
  const likely = scores.length > 1 ? scores.filter(({ name }) => /logit|prob|score/i.test(name)) : scores;
  if (likely.length === 1) return likely[0];
  if (scores.length > 1) {
    throw unfit(
      `${told(url)}: expected one output of scores, got ${named(scores)}`,
      'Name it in a robust.json: "output": { "name": ... }.',
    );
  }
  return outputs[0];
}

async function checkBinary({ tryGet, shown: told }: Inquiry, server: string): Promise<void> {
  const about = await tryGet(server);
  const extensions = isObject(about) && Array.isArray(about.extensions) ? about.extensions : [];
  if (extensions.includes('binary_tensor_data')) return;
  throw unfit(
    `${told(server)}: expected the extension binary_tensor_data, which FP16 and "binary": true need, got ${shown(extensions)}`,
    'Leave "binary" out, or let the model answer FP32.',
  );
}

function factsOf({ name, versions, platform }: JsonObject): Record<string, string> {
  return {
    ...(typeof name === 'string' && { model: name }),
    ...(Array.isArray(versions) && versions.length > 0 && { version: versions.join(',') }),
    ...(typeof platform === 'string' && { platform }),
  };
}

function answeredTensor(answer: WireAnswer, name: string | undefined): AnsweredTensor {
  const read = readBinary(answer) ?? jsonOf(answer);
  const outputs: readonly unknown[] = isObject(read) && Array.isArray(read.outputs) ? read.outputs : [];
  const tensors = outputs.filter((each): each is JsonObject => isObject(each) && Array.isArray(each.data));
  const found = name === undefined ? tensors[0] : tensors.find((each) => each.name === name);
  if (found === undefined) throw garbled(`an output${name ? ` "${name}"` : ''} with data`, read);
  const { data, shape, datatype } = found;
  return {
    name: String(found.name),
    datatype: String(datatype),
    shape: Array.isArray(shape) ? shape.map(Number) : [],
    // Flat or nested, as the protocol allows.
    data: (data as unknown[]).flat(Number.POSITIVE_INFINITY),
  };
}

function rowsOf(
  { data, shape }: AnsweredTensor,
  questions: readonly Question[],
  labels: readonly string[] | undefined,
  hard: boolean,
) {
  const n = questions.length;
  if (shape[0] !== undefined && shape[0] !== n) throw garbled(`${n} rows for as many texts`, `the shape [${shape}]`);
  if (data.length === 0 || data.length % n !== 0)
    throw garbled(`${n} rows for as many texts`, `${data.length} numbers`);
  const width = data.length / n;
  const rows = Array.from({ length: n }, (_, row) => data.slice(row * width, (row + 1) * width));
  if (!hard) return checkedRows(rows, n, labels !== undefined && labels.length > 2 ? labels.length : undefined);
  if (width !== 1) throw garbled('one label a text', `${width} numbers`);
  return checkedRows(
    rows.map(([label]) => hardRow(label, labels)),
    n,
  );
}

function hardRow(label: unknown, labels: readonly string[] | undefined): number[] {
  if (labels === undefined) {
    throw unfit(
      'the endpoint answers places of labels, and nothing says how many labels there are',
      'Name them: "labels": ["negative", "positive"] in a robust.json; or let the server return probabilities (KServe: --return_probabilities).',
    );
  }
  if (typeof label !== 'number' || !(label in labels)) throw garbled(`a label from 0 to ${labels.length - 1}`, label);
  return labels.map((_, at) => (at === label ? 1 : 0));
}

/** "value:index[:label]", the best first. */
function classified({ data }: AnsweredTensor, questions: readonly Question[]) {
  const width = data.length / questions.length;
  if (!Number.isInteger(width) || width === 0) throw garbled(`classes of ${questions.length} texts`, `${data.length}`);
  const names: string[] = [];
  const rows = questions.map((_, text) => {
    const row = new Array<number>(width).fill(Number.NaN);
    for (const each of data.slice(text * width, (text + 1) * width)) {
      const [, value, index, label] = /^([^:]+):(\d+)(?::(.*))?$/s.exec(String(each)) ?? [];
      if (value === undefined || Number(index) >= width) throw garbled(`"value:index:label", below ${width}`, each);
      row[Number(index)] = Number(value);
      if (label !== undefined) names[Number(index)] = label;
    }
    return row;
  });
  return { rows, labels: names.filter(() => true).length === width ? names : undefined };
}
