/** @file TensorFlow Serving's predict route, by rows (`instances`) and by columns (`inputs`). https://www.tensorflow.org/tfx/serving/api_rest */
import { checkName, numbers, Refusal, type ServedProtocol, type ServedRequest } from '../protocol.js';
import { listAt, objectAt, shownValue, textAt } from '../texts.js';

/** Name of the input. */
const INPUT = 'text';
/** Versions are whole numbers there. */
const VERSION = '1';

const size = (count: number) => ({ size: String(count), name: '' });

export const tfserving: ServedProtocol = {
  name: 'tfserving',
  carries: ['label-sets', 'numbers'],
  modelAt: (url, { name }) => `tfserving+${url}/v1/models/${encodeURIComponent(name)}`,
  error: ({ message }) => ({ error: message }),
  routes: ({ model, kind }) => {
    const known = ({ groups: [name, version = VERSION] }: ServedRequest): void => {
      checkName(name, model);
      if (version !== VERSION) throw new Refusal(404, `expected version ${VERSION} of ${model.name}, got "${version}"`);
    };
    const tensor = (name: string, dtype: string, ...dim: object[]) => ({
      [name]: { dtype, tensor_shape: { dim, unknown_rank: false }, name: `${name}:0` },
    });
    return [
      {
        method: 'GET',
        path: /^\/v1\/models\/([^/:]+)(?:\/versions\/([^/:]+))?$/,
        answer: (request) => {
          known(request);
          const status = { error_code: 'OK', error_message: '' };
          return { model_version_status: [{ version: VERSION, state: 'AVAILABLE', status }] };
        },
      },
      {
        method: 'GET',
        path: /^\/v1\/models\/([^/:]+)(?:\/versions\/([^/:]+))?\/metadata$/,
        answer: (request) => {
          known(request);
          const signature = {
            inputs: tensor(INPUT, 'DT_STRING', size(-1)),
            outputs: tensor(kind, 'DT_FLOAT', size(-1), size(model.labels.length)),
            method_name: 'tensorflow/serving/predict',
          };
          return {
            model_spec: { name: model.name, signature_name: '', version: VERSION },
            metadata: { signature_def: { signature_def: { serving_default: signature } } },
          };
        },
      },
      {
        method: 'POST',
        path: /^\/v1\/models\/([^/:]+)(?:\/versions\/([^/:]+))?:predict$/,
        answer: async (request) => {
          known(request);
          const { instances, inputs, signature_name: signature = 'serving_default' } = request.json();
          if (signature !== 'serving_default') {
            throw new Refusal(400, `signature_name: expected "serving_default", got ${shownValue(signature)}`);
          }
          const byRow = instances !== undefined;
          const texts = byRow ? rowsAt(instances) : columnAt(inputs);
          const rows = (await request.ask(texts, kind)).map(numbers);
          return byRow ? { predictions: rows } : { outputs: rows };
        },
      },
    ];
  },
};

/** A text, or its bytes in base64. */
function stringAt(value: unknown, where: string): string {
  if (typeof value !== 'object' || value === null) return textAt(value, where);
  return textAt(Buffer.from(textAt(objectAt(value, where).b64, `${where}.b64`), 'base64').toString('utf8'), where);
}

/** One object or text each. */
const rowsAt = (instances: unknown): string[] =>
  listAt(instances, 'instances').map((each, at) => {
    const named =
      typeof each === 'object' && each !== null && INPUT in each ? (each as Record<string, unknown>)[INPUT] : each;
    return stringAt(named, `instances[${at}]`);
  });

/** The whole input, under its name or, being the only one, without. */
function columnAt(inputs: unknown): string[] {
  const column = Array.isArray(inputs) ? inputs : objectAt(inputs, 'inputs')[INPUT];
  return listAt(column, `inputs.${INPUT}`).map((each, at) => stringAt(each, `inputs.${INPUT}[${at}]`));
}
