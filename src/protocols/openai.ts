/** @file Shared by OpenAI's routes: the list of models, and errors. https://platform.openai.com/docs/api-reference */
import type { Refusal, ServedModel, ServedRoute } from './server.js';

export const OPENAI_SERVICE = { url: 'https://api.openai.com/v1', variable: 'OPENAI_API_KEY' } as const;

/** The reference's error type for a status; all others are the server's fault. */
const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  404: 'invalid_request_error',
  413: 'invalid_request_error',
  429: 'rate_limit_error',
};

export const openaiError = ({ status, message }: Refusal): object => ({
  error: { message, type: TYPES[status] ?? 'server_error', param: null, code: status },
});

export const openaiPath = (model: string): string => `/v1#${model}`;

export const modelList = ({ name, maximumTokens, sha256, announced }: ServedModel): ServedRoute => ({
  method: 'GET',
  path: /^\/v1\/models$/,
  answer: () => {
    const tokens = Number.isFinite(maximumTokens) ? { max_model_len: maximumTokens } : {};
    return {
      object: 'list',
      data: [{ id: name, object: 'model', owned_by: 'robust', root: sha256, ...tokens, robust: announced }],
    };
  },
});
