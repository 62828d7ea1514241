/** @file Hugging Face's hosted inference for text classification. https://huggingface.co/docs/inference-providers/tasks/text-classification */
import { sigmoid, softmax } from '../../core/softmax.js';
import { checkName, Refusal, type ServedProtocol, type ServedScores } from '../protocol.js';
import { listAt, objectAt, pairAt, shownValue, textAt } from '../texts.js';
import { labelled } from './labelled.js';

/** Labels of an answer where a request does not say how many: whoever wants all must ask. */
const TOP = 5;

/** What is answered of the logits, and what is then done to them. */
const FUNCTIONS: Readonly<Record<string, readonly [ServedScores, (row: Float32Array) => Float32Array]>> = {
  none: ['logits', (row) => row],
  sigmoid: ['logits', (row) => row.map(sigmoid)],
  softmax: [
    'logits',
    (row) => {
      const copy = row.slice();
      softmax(copy);
      return copy;
    },
  ],
};

export const hfInference: ServedProtocol = {
  name: 'hf-inference',
  carries: ['pairs', 'label-sets'],
  modelAt: (url, { name }) => `hf-inference+${url}/models/${encodeURIComponent(name)}`,
  error: ({ message }) => ({ error: message }),
  routes: ({ model }) => [
    {
      method: 'POST',
      path: /^\/(?:hf-inference\/)?models\/(?:[^/]+\/)?([^/]+)$/,
      answer: async ({ groups: [name], json, ask }) => {
        checkName(name, model);
        const { inputs, parameters = {} } = json();
        const { top_k: top = TOP, function_to_apply: wanted } = objectAt(parameters, 'parameters');
        if (!Number.isInteger(top) || (top as number) < 1) {
          throw new Refusal(400, `parameters.top_k: expected a whole number of at least 1, got ${shownValue(top)}`);
        }
        const [kind, applied] = functionAt(wanted);
        const list = Array.isArray(inputs);
        const texts = (list ? listAt(inputs, 'inputs') : [inputs]).map((each, at) =>
          inputAt(each, list ? `inputs[${at}]` : 'inputs'),
        );
        const rows = await ask(texts, kind);
        return rows.map((row) => labelled(applied(row), model.labels, top as number));
      },
    },
  ],
};

function functionAt(wanted: unknown): readonly [ServedScores, (row: Float32Array) => Float32Array] {
  if (wanted === undefined || wanted === null) return ['probabilities', (row) => row];
  const found = typeof wanted === 'string' ? FUNCTIONS[wanted] : undefined;
  if (found !== undefined) return found;
  throw new Refusal(
    400,
    `parameters.function_to_apply: expected one of ${Object.keys(FUNCTIONS).join(', ')}, got ${shownValue(wanted)}`,
  );
}

/** A text, or { text, text_pair }. */
function inputAt(input: unknown, where: string): string {
  if (typeof input !== 'object' || input === null) return textAt(input, where);
  const { text, text_pair: second } = objectAt(input, where);
  return second === undefined ? textAt(text, `${where}.text`) : pairAt(text, second, where);
}
