/** @file vLLM's and SGLang's route for classifiers: probabilities by label index. https://docs.vllm.ai/en/latest/serving/openai_compatible_server */
import { foremostLabel } from '../../core/prediction.js';
import { checkName, numbers, type ServedProtocol } from '../protocol.js';
import { textsAt } from '../texts.js';
import { modelList, openaiError } from './openai.js';

export const vllm: ServedProtocol = {
  name: 'vllm',
  carries: ['label-sets'],
  modelAt: (url, { name }) => `vllm+${url}/${encodeURIComponent(name)}`,
  error: openaiError,
  routes: ({ model }) => [
    modelList(model),
    {
      method: 'POST',
      path: /^\/(?:v1\/)?classify$/,
      answer: async ({ json, ask }) => {
        const { input, model: name = model.name } = json();
        checkName(name as string, model);
        const rows = await ask(textsAt(input, 'input'), 'probabilities');
        const data = rows.map((row, index) => ({
          index,
          label: model.labels[foremostLabel(row, model.labels)],
          probs: numbers(row),
          num_classes: row.length,
        }));
        return { object: 'list', model: model.name, data };
      },
    },
  ],
};
