/**
 * @file Classification as vLLM (`/classify`) and SGLang (`/v1/classify`) serve it: probabilities in the order of the classes, and the name of
 * the most probable one (vllm/entrypoints/pooling/classify/protocol.py).
 */
import { TEXTS_PER_REQUEST } from '../core/endpoint.js';
import { NO_LABEL, predictedLabel } from '../core/prediction.js';
import { type Adapter, checkRows, type EndpointAccess, jsonOf, malformed, unsuitable } from './client.js';
import { isObject, type JsonObject } from './json.js';
import { protocol } from './protocol.js';

export const vllm = protocol({ name: 'vllm', connect: (endpoint) => connect(endpoint, '/classify') });

/** Its route is served under vLLM's name. */
export const sglang = protocol({ name: 'sglang', connect: (endpoint) => connect(endpoint, '/v1/classify') });

/** The server, and the model if the path names it: `http://host:8000/org/name`, or any address with `#org/name` behind it. */
function serverOf({ url, settings }: EndpointAccess): { server: string; model: string | undefined } {
  const { origin, pathname } = new URL(url);
  const path = pathname
    .replace(/\/(v1\/)?classify$/, '')
    .replace(/\/v1$/, '')
    .replace(/^\//, '');
  if (settings.model !== undefined) return { server: `${origin}/${path}`.replace(/\/$/, ''), model: settings.model };
  return { server: origin, model: path === '' ? undefined : decodeURIComponent(path) };
}

/** The index of the label that an answer names; any of several tied labels may be the one. */
const placeOf = (label: unknown, scores: unknown): number =>
  typeof label === 'string' && Array.isArray(scores) ? predictedLabel(Float32Array.from(scores)) : NO_LABEL;

async function connect(endpoint: EndpointAccess, path: string): Promise<Adapter> {
  const { settings, labels: given, redact } = endpoint;
  const { server, model } = serverOf(endpoint);
  const list = await endpoint.get(`${server}/v1/models`);
  const served: JsonObject[] = isObject(list) && Array.isArray(list.data) ? list.data.filter(isObject) : [];
  const about = model === undefined ? served[0] : served.find(({ id }) => id === model);
  if (about === undefined)
    throw unsuitable(
      `${redact(server)}: expected the model ${model ?? 'that it serves'}, got ${served.map(({ id }) => id).join(', ') || 'none'}`,
      'Append the name of a model that it serves to the address: vllm+http://host:8000/NAME',
      'ENDPOINT_NOT_FOUND',
    );
  /** Each answer names one label only. */
  const names: string[] = [];
  let width = given?.length;
  return {
    labels() {
      if (given !== undefined || width === undefined) return given;
      return Array.from({ length: width }, (_, at) => names[at] ?? `LABEL_${at}`);
    },
    scores: () => settings.scores ?? 'probabilities',
    batch: settings.batch ?? TEXTS_PER_REQUEST,
    maximumTokens: typeof about.max_model_len === 'number' ? about.max_model_len : undefined,
    facts: {
      model: String(about.id),
      ...(typeof about.root === 'string' && about.root !== about.id && { version: about.root }),
    },
    request: (questions) => ({
      url: `${server}${path}`,
      body: JSON.stringify({ model: about.id, input: questions.map(([text]) => text) }),
    }),
    rows(answer, questions) {
      const read = jsonOf(answer);
      const data = isObject(read) ? read.data : undefined;
      if (!Array.isArray(data) || !data.every(isObject)) throw malformed('data', read);
      if (data.length !== questions.length) throw malformed(`${questions.length} answers`, `${data.length}`);
      const rows: unknown[] = [];
      for (const [at, { index = at, probs, label }] of data.entries()) {
        rows[Number(index)] = probs;
        const place = placeOf(label, probs);
        if (place !== NO_LABEL) names[place] ??= String(label);
      }
      const checked = checkRows(Array.from(rows), questions.length, width);
      width ??= checked[0]?.length;
      return checked;
    },
  };
}
