/** @file TensorFlow Serving's REST API, by rows (`instances`) or by columns (`inputs`). https://www.tensorflow.org/tfx/serving/api_rest */
import { z } from 'zod';
import { TEXTS_PER_REQUEST } from '../core/endpoint.js';
import { checkRows, type EndpointAccess, jsonOf, malformed, unsuitable } from './client.js';
import { excerpt, isObject, type JsonObject } from './json.js';
import { LabelNames } from './labelled.js';
import { protocol } from './protocol.js';

const SIGNATURE = 'serving_default';

export const tfserving = protocol({
  name: 'tfserving',
  settings: {
    /** Ask by columns, if the server takes no rows. */
    columns: z.boolean().optional(),
  },
  async connect(endpoint) {
    const { settings } = endpoint;
    const url = endpoint.url.replace(/:predict$/, '');
    if (!/\/v1\/models\/[^/]+(\/(versions|labels)\/[^/]+)?$/.test(new URL(url).pathname))
      throw unsuitable(
        `${endpoint.redact(url)}: expected the address of a model, which ends in /v1/models/NAME`,
        'For example: --model tfserving+http://host:8501/v1/models/NAME',
      );
    const about = await endpoint.get(`${url}/metadata`);
    const spec = isObject(about) && isObject(about.model_spec) ? about.model_spec : {};
    const input = inputOf(signatureIn(about), endpoint);
    const names = new LabelNames(endpoint.labels);
    return {
      labels: () => names.labels,
      scores: () => settings.scores,
      batch: settings.batch ?? TEXTS_PER_REQUEST,
      facts: {
        ...(typeof spec.name === 'string' && { model: spec.name }),
        ...(['string', 'number'].includes(typeof spec.version) && { version: String(spec.version) }),
      },
      request(questions) {
        const texts = questions.map(([text]) => (input.nested ? [text] : text));
        const body = settings.columns
          ? { inputs: input.name === undefined ? texts : { [input.name]: texts } }
          : { instances: texts };
        return { url: `${url}:predict`, body: JSON.stringify({ signature_name: SIGNATURE, ...body }) };
      },
      rows(answer, questions) {
        const read = jsonOf(answer);
        const rows = rowsIn(isObject(read) ? (read.predictions ?? read.outputs) : undefined, endpoint.output);
        return checkRows(
          // A single score may come without a list around it.
          rows.map((each) => (typeof each === 'number' ? [each] : names.row(each))),
          questions.length,
          names.width,
        );
      },
    };
  },
});

function signatureIn(about: unknown): JsonObject | undefined {
  const metadata = isObject(about) && isObject(about.metadata) ? about.metadata.signature_def : undefined;
  const all = isObject(metadata) ? metadata.signature_def : undefined;
  const signature = isObject(all) ? all[SIGNATURE] : undefined;
  return isObject(signature) ? signature : undefined;
}

function inputOf(signature: JsonObject | undefined, { input: wanted, url, redact }: EndpointAccess) {
  const inputs = isObject(signature?.inputs) ? Object.entries(signature.inputs) : [];
  const texts = inputs.filter(([, facts]) => isObject(facts) && facts.dtype === 'DT_STRING');
  const [name, facts] = (wanted === undefined ? texts[0] : inputs.find(([each]) => each === wanted)) ?? [];
  if (name === undefined && inputs.length > 0) {
    const got = inputs.map(([each, kind]) => `${each} (${isObject(kind) ? kind.dtype : ''})`).join(', ');
    throw unsuitable(
      `${redact(url)}: expected an input of texts (DT_STRING), got ${got}`,
      'Export the model with its preprocessing, so that it takes texts.',
    );
  }
  const shape = isObject(facts) && isObject(facts.tensor_shape) ? facts.tensor_shape.dim : undefined;
  return { name, nested: Array.isArray(shape) && shape.length === 2 };
}

/** Rows are lists, or maps if there are several outputs; columns are lists of rows, or a map of such lists. */
function rowsIn(found: unknown, wanted: string | undefined): unknown[] {
  const pick = (outputs: JsonObject): unknown => {
    const names = Object.keys(outputs);
    const likely = names.filter((name) => /logit|prob|score/i.test(name));
    const name = wanted ?? (names.length === 1 ? names[0] : likely.length === 1 ? likely[0] : undefined);
    if (name !== undefined && Object.hasOwn(outputs, name)) return outputs[name];
    throw unsuitable(
      `expected one output of scores, got ${excerpt(names)}`,
      'Name it in a robust.json: "output": { "name": ... }.',
    );
  };
  if (Array.isArray(found)) return found.map((row) => (isObject(row) ? pick(row) : row));
  const column = isObject(found) ? pick(found) : undefined;
  if (Array.isArray(column)) return column;
  throw malformed('predictions or outputs', found);
}
