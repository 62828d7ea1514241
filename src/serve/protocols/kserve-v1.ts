/**
 * @file Version 1 of KServe's protocol, answered as its Hugging Face runtime does: probabilities as an object by label index, logits as a list.
 * https://kserve.github.io/website/docs/concepts/architecture/data-plane/v1-protocol
 */
import { checkName, numbers, type ServedProtocol } from '../protocol.js';
import { textsAt } from '../texts.js';

export const kserveV1: ServedProtocol = {
  name: 'kserve-v1',
  carries: ['label-sets'],
  modelAt: (url, { name }) => `kserve+${url}/v1/models/${encodeURIComponent(name)}`,
  error: ({ message }) => ({ error: message }),
  routes: ({ model, kind }) => [
    { method: 'GET', path: /^\/v1\/models$/, answer: () => ({ models: [model.name] }) },
    {
      method: 'GET',
      path: /^\/v1\/models\/([^/:]+)$/,
      answer: ({ groups: [name] }) => {
        checkName(name, model);
        return { name: model.name, ready: true };
      },
    },
    {
      method: 'POST',
      path: /^\/v1\/models\/([^/:]+):predict$/,
      answer: async ({ groups: [name], json, ask }) => {
        checkName(name, model);
        const rows = await ask(textsAt(json().instances, 'instances'), kind);
        return { predictions: rows.map((row) => (kind === 'logits' ? numbers(row) : { ...numbers(row) })) };
      },
    },
  ],
};
