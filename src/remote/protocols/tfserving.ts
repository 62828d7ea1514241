/** @file TensorFlow Serving's REST API, by rows or by columns (https://www.tensorflow.org/tfx/serving/api_rest). */
import { TEXTS_PER_REQUEST } from '../../core/endpoint.js';
import { isObject, type JsonObject, shown } from '../json.js';
import { type Adapter, checkedRows, garbled, type Inquiry, jsonOf, unfit } from '../protocol.js';
import { LabelNames } from './labelled.js';

const SIGNATURE = 'serving_default';

export async function tfServing(inquiry: Inquiry): Promise<Adapter> {
  const { settings } = inquiry;
  const url = inquiry.url.replace(/:predict$/, '');
  if (!/\/v1\/models\/[^/]+(\/(versions|labels)\/[^/]+)?$/.test(new URL(url).pathname)) {
    throw unfit(
      `${inquiry.shown(url)}: expected the address of a model, which ends in /v1/models/NAME`,
      'For example: --model tfserving+http://host:8501/v1/models/NAME',
    );
  }
  const about = await inquiry.get(`${url}/metadata`);
  const spec = isObject(about) && isObject(about.model_spec) ? about.model_spec : {};
  const input = inputOf(signatureIn(about), inquiry);
  const names = new LabelNames(inquiry.labels);
  return {
    get labels() {
      return names.labels;
    },
    scores: settings.scores,
    batch: settings.batch ?? TEXTS_PER_REQUEST,
    facts: {
      ...(typeof spec.name === 'string' && { model: spec.name }),
      ...((typeof spec.version === 'string' || typeof spec.version === 'number') && { version: String(spec.version) }),
    },
    request(questions) {
      const texts = questions.map(([text]) => (input.nested ? [text] : text));
      const asked =
        settings.columns === true
          ? { inputs: input.name === undefined ? texts : { [input.name]: texts } }
          : { instances: texts };
      return { url: `${url}:predict`, body: JSON.stringify({ signature_name: SIGNATURE, ...asked }) };
    },
    rows(answer, questions) {
      const read = jsonOf(answer);
      const found = isObject(read) ? (read.predictions ?? read.outputs) : undefined;
      const rows = rowsIn(found, inquiry.output);
      return checkedRows(
        // One score a text may stand without a list of its own.
        rows.map((each) => (typeof each === 'number' ? [each] : names.row(each))),
        questions.length,
        names.labels !== undefined && names.labels.length > 2 ? names.labels.length : undefined,
      );
    },
  };
}

function signatureIn(about: unknown): JsonObject | undefined {
  const metadata = isObject(about) && isObject(about.metadata) ? about.metadata.signature_def : undefined;
  const all = isObject(metadata) ? metadata.signature_def : undefined;
  const signature = isObject(all) ? all[SIGNATURE] : undefined;
  return isObject(signature) ? signature : undefined;
}

function inputOf(signature: JsonObject | undefined, { input: wanted, url, shown: told }: Inquiry) {
  const inputs = isObject(signature?.inputs) ? Object.entries(signature.inputs) : [];
  const texts = inputs.filter(([, facts]) => isObject(facts) && facts.dtype === 'DT_STRING');
  const [name, facts] = (wanted === undefined ? texts[0] : inputs.find(([each]) => each === wanted)) ?? [];
  if (name === undefined && inputs.length > 0) {
    const got = inputs.map(([each, kind]) => `${each} (${isObject(kind) ? kind.dtype : ''})`).join(', ');
    throw unfit(
      `${told(url)}: expected an input of texts (DT_STRING), got ${got}`,
      'Export the model with its preprocessing, so that it takes texts.',
    );
  }
  const shape = isObject(facts) && isObject(facts.tensor_shape) ? facts.tensor_shape.dim : undefined;
  return { name, nested: Array.isArray(shape) && shape.length === 2 };
}

/** Rows are lists, or maps where there are several outputs; columns are lists of rows, or a map of such lists. */
function rowsIn(found: unknown, wanted: string | undefined): unknown[] {
  const pick = (outputs: JsonObject): unknown => {
    const names = Object.keys(outputs);
    const likely = names.filter((name) => /logit|prob|score/i.test(name));
    const name = wanted ?? (names.length === 1 ? names[0] : likely.length === 1 ? likely[0] : undefined);
    if (name !== undefined && Object.hasOwn(outputs, name)) return outputs[name];
    throw unfit(
      `expected one output of scores, got ${shown(names)}`,
      'Name it in a robust.json: "output": { "name": ... }.',
    );
  };
  if (Array.isArray(found)) return found.map((row) => (isObject(row) ? pick(row) : row));
  const column = isObject(found) ? pick(found) : undefined;
  if (Array.isArray(column)) return column;
  throw garbled('predictions or outputs', found);
}
