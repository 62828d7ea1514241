/**
 * Servers of other makers, as far as the clients ask them: each documented answer of a sound request, without refusals. `robust serve` speaks
 * KServe V2 and plain JSON only.
 */
import { PAIR_SEPARATOR } from '../../src/core/pair.js';
import { foremostLabel } from '../../src/core/prediction.js';
import type { JsonObject } from '../../src/protocols/json.js';
import { numbers, type ServedModel, type ServedRoute } from '../../src/serve/request.js';

/** A model with its logits, which some services answer. */
export interface DialectModel extends ServedModel {
  logits(texts: readonly string[]): Promise<readonly Float32Array[]>;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

type Answer = (body: JsonObject) => Promise<object> | object;
type Dialect = (model: DialectModel) => Readonly<Record<string, Answer>>;

/** A list of labels with scores, the best first. */
const labelled = (row: Float32Array, labels: readonly string[]) =>
  numbers(row)
    .map((score, index) => ({ label: labels[index], score }))
    .sort((a, b) => b.score - a.score);

const modelList = ({ name, sha256 }: ServedModel) => ({ object: 'list', data: [{ id: name, root: sha256 }] });

/** By protocol: the path that `--model` names, and answers by method and path. */
export const DIALECTS: Readonly<
  Record<string, { readonly path: (model: string) => string; readonly answers: Dialect }>
> = {
  tei: {
    path: () => '',
    answers: ({ name, sha256, labels, scores, logits }) => ({
      'GET /info': () => ({
        ...{ model_id: name, model_sha: sha256, max_client_batch_size: 64 },
        model_type: { classifier: { id2label: { ...labels } } },
      }),
      'POST /predict': async ({ inputs, raw_scores: raw }) => {
        const texts = (inputs as string[][]).map((each) => each.join(PAIR_SEPARATOR));
        return (await (raw ? logits : scores)(texts)).map((row) => labelled(row, labels));
      },
    }),
  },
  vllm: {
    path: (model) => `/${model}`,
    answers: (model) => ({
      'GET /v1/models': () => modelList(model),
      'POST /classify': async ({ input }) => ({
        data: (await model.scores(input as string[])).map((row, index) => ({
          ...{ index, label: model.labels[foremostLabel(row, model.labels)] },
          ...{ probs: numbers(row), num_classes: row.length },
        })),
      }),
    }),
  },
  tfserving: {
    path: (model) => `/v1/models/${model}`,
    answers: ({ name, scores }) => ({
      [`GET /v1/models/${name}/metadata`]: () => ({
        model_spec: { name, version: '1' },
        metadata: {
          signature_def: {
            signature_def: {
              serving_default: {
                inputs: { text: { dtype: 'DT_STRING', tensor_shape: { dim: [{ size: '-1', name: '' }] } } },
              },
            },
          },
        },
      }),
      [`POST /v1/models/${name}:predict`]: async ({ instances }) => ({
        predictions: (await scores(instances as string[])).map(numbers),
      }),
    }),
  },
  'hf-inference': {
    path: (model) => `/models/${model}`,
    answers: ({ name, labels, logits }) => ({
      [`POST /models/${name}`]: async ({ inputs }) =>
        (await logits(inputs as string[])).map((row) => labelled(row, labels)),
    }),
  },
  'openai-moderation': {
    path: (model) => `/v1#${model}`,
    answers: ({ labels, scores }) => ({
      'POST /v1/moderations': async ({ input }) => ({
        results: (await scores(input as string[])).map((row) => ({
          flagged: row.some((score) => score >= 0.5),
          category_scores: Object.fromEntries(labels.map((label, at) => [label, row[at]])),
        })),
      }),
    }),
  },
  'openai-chat': {
    path: (model) => `/v1#${model}`,
    answers: (model) => ({
      'GET /v1/models': () => modelList(model),
      'POST /v1/chat/completions': async ({ messages }) => {
        const { content } = (messages as { content: string }[]).at(-1)!;
        const text = /<text>\n(.*)\n<\/text>/s.exec(content)![1]!;
        const [row] = await model.scores([text]);
        // The shares of both spellings of a letter are exact in binary.
        const tops = numbers(row!)
          .flatMap((score, at) => [
            { token: LETTERS[at]!, score: score * 0.75 },
            { token: ` ${LETTERS[at]}`, score: score * 0.25 },
          ])
          .filter(({ score }) => score > 0)
          .map(({ token, score }) => ({ token, logprob: Math.log(score) }));
        const logprobs = { content: [{ ...tops[0], top_logprobs: tops }] };
        return { choices: [{ message: { role: 'assistant', content: tops[0]!.token }, logprobs }] };
      },
    }),
  },
};

/** Routes of a dialect; where two have one path, of that which stands first. */
export const routesOf = (protocol: string, model: DialectModel): ServedRoute[] =>
  Object.entries(DIALECTS[protocol]!.answers(model)).map(([route, answer]) => {
    const [method, path] = route.split(' ') as ['GET' | 'POST', string];
    return {
      ...{ protocol, method, path: new RegExp(`^${path}$`) },
      answer: ({ json }) => answer(method === 'GET' ? {} : json()),
    };
  });
