/** @file OpenAI's service. https://platform.openai.com/docs/api-reference */

export const OPENAI_SERVICE = { url: 'https://api.openai.com/v1', variable: 'OPENAI_API_KEY' } as const;
