/**
 * @file Classification as vLLM (`/classify`) and SGLang (`/v1/classify`) serve it: probabilities in the order of the classes, and the name of
 * the most probable one (vllm/entrypoints/pooling/classify/protocol.py).
 */

import { TEXTS_PER_REQUEST } from '../../core/endpoint.js';
import { NO_LABEL, predictedLabel } from '../../core/prediction.js';
import { isObject, type JsonObject } from '../json.js';
import { type Adapter, checkedRows, garbled, type Inquiry, jsonOf, unfit } from '../protocol.js';

export const vllm = (inquiry: Inquiry): Promise<Adapter> => classify(inquiry, '/classify');
export const sglang = (inquiry: Inquiry): Promise<Adapter> => classify(inquiry, '/v1/classify');

/** The server, and the model where a path names it: `http://host:8000/org/name`, or any address with `#org/name` behind it. */
function serverOf({ url, settings }: Inquiry): { server: string; model: string | undefined } {
  const { origin, pathname } = new URL(url);
  const path = pathname
    .replace(/\/(v1\/)?classify$/, '')
    .replace(/\/v1$/, '')
    .replace(/^\//, '');
  if (settings.model !== undefined) return { server: `${origin}/${path}`.replace(/\/$/, ''), model: settings.model };
  return { server: origin, model: path === '' ? undefined : decodeURIComponent(path) };
}

async function classify(inquiry: Inquiry, path: string): Promise<Adapter> {
  const { settings, labels: given, shown } = inquiry;
  const { server, model } = serverOf(inquiry);
  const list = await inquiry.get(`${server}/v1/models`);
  const served: JsonObject[] = isObject(list) && Array.isArray(list.data) ? list.data.filter(isObject) : [];
  const about = model === undefined ? served[0] : served.find(({ id }) => id === model);
  if (about === undefined) {
    throw unfit(
      `${shown(server)}: expected the model ${model ?? 'that it serves'}, got ${served.map(({ id }) => id).join(', ') || 'none'}`,
      'Name one that it serves behind the address: vllm+http://host:8000/NAME',
      'ENDPOINT_NOT_FOUND',
    );
  }
  /** Names are told one at a time. */
  const names: string[] = [];
  let width = given?.length;
  return {
    get labels() {
      return (
        given ??
        (width === undefined ? undefined : Array.from({ length: width }, (_, at) => names[at] ?? `LABEL_${at}`))
      );
    },
    scores: settings.scores ?? 'probabilities',
    batch: settings.batch ?? TEXTS_PER_REQUEST,
    maximumTokens: typeof about.max_model_len === 'number' ? about.max_model_len : undefined,
    announced: about.robust,
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
      if (!Array.isArray(data) || !data.every(isObject)) throw garbled('data', read);
      if (data.length !== questions.length) throw garbled(`${questions.length} answers`, `${data.length}`);
      const rows: unknown[] = [];
      for (const [at, { index = at, probs, label }] of data.entries()) {
        rows[Number(index)] = probs;
        // Of tied scores any may be the one that is named.
        const place = Array.isArray(probs) ? predictedLabel(Float32Array.from(probs)) : NO_LABEL;
        if (typeof label === 'string' && place !== NO_LABEL) names[place] ??= label;
      }
      const checked = checkedRows(Array.from(rows), questions.length, width);
      width ??= checked[0]?.length;
      return checked;
    },
  };
}
