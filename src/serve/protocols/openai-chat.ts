/**
 * @file A chat model that classifies: it answers with one letter, A for the first label, and with the log-probabilities of all letters; where
 * a JSON schema with an enum is asked for, with its most probable entry. https://platform.openai.com/docs/api-reference/chat
 */
import { foremostLabel } from '../../core/prediction.js';
import { numbers, Refusal, type ServedProtocol } from '../protocol.js';
import { listAt, objectAt, shownValue, textAt } from '../texts.js';
import { modelList, openaiError } from './openai.js';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** Most tokens told beside the answer. */
const MAX_TOP = 20;
/** Share of a letter's probability that its other spelling, with a space in front, is told with: exact in binary. */
const SPACED = 0.25;
/** A line that gives a label its letter: "A: negative", "B) positive". */
const OPTION = /^\s*([A-Z])\s*[:).=-]\s*(.+?)\s*$/gm;

export const openaiChat: ServedProtocol = {
  name: 'openai-chat',
  modelAt: (url, { name }) => `openai-chat+${url}/v1#${encodeURIComponent(name)}`,
  error: openaiError,
  routes: ({ model }) => [
    modelList(model),
    {
      method: 'POST',
      path: /^\/v1\/chat\/completions$/,
      answer: async ({ json, ask }) => {
        const { messages, logprobs = false, top_logprobs: top = 0, response_format: format } = json();
        const said = listAt(messages, 'messages').map((each, at) => objectAt(each, `messages[${at}]`));
        const row = (await ask([textOf(said)], 'probabilities'))[0] as Float32Array;
        const options = enumOf(format);
        const content =
          options === undefined
            ? undefined
            : JSON.stringify({ [options.name]: entryFor(row, model.labels, options.values) });
        const letters = lettersOf(said, model.labels);
        const letter = letters[foremostLabel(row, model.labels)] as string;
        const told =
          logprobs === true
            ? { logprobs: { content: [logprobsOf(row, letters, Math.min(Number(top), MAX_TOP))] } }
            : {};
        return {
          id: `chatcmpl-${model.sha256.slice(0, 12)}`,
          object: 'chat.completion',
          model: model.name,
          choices: [
            {
              index: 0,
              message: { role: 'assistant', content: content ?? letter, refusal: null },
              ...(content === undefined ? told : {}),
              finish_reason: content === undefined ? 'length' : 'stop',
            },
          ],
        };
      },
    },
  ],
};

/** What the user said last, without the marks around it. */
function textOf(said: readonly Readonly<Record<string, unknown>>[]): string {
  const last = said.findLast(({ role }) => role === 'user');
  if (last === undefined) throw new Refusal(400, 'messages: expected one whose role is "user"');
  const content = textAt(last.content, 'messages: content');
  const [open, close] = [content.indexOf('<text>'), content.lastIndexOf('</text>')];
  if (open < 0 || close < open) return content;
  return content.slice(open + '<text>'.length, close).replace(/^\n|\n$/g, '');
}

/** By label index: the letters that the prompt gives the labels, else in their order. */
function lettersOf(said: readonly Readonly<Record<string, unknown>>[], labels: readonly string[]): string[] {
  const system = said
    .flatMap(({ role, content }) => (role !== 'user' && typeof content === 'string' ? [content] : []))
    .join('\n');
  const given = new Map(Array.from(system.matchAll(OPTION), ([, letter = '', label = '']) => [label, letter] as const));
  return labels.map((label, index) => given.get(label) ?? LETTERS[index] ?? '?');
}

/** The answer's token and, the most probable first, both spellings of each letter. */
function logprobsOf(row: Float32Array, letters: readonly string[], top: number): object {
  const spelt = numbers(row).flatMap((score, index) => [
    { token: letters[index] as string, score: score * (1 - SPACED) },
    { token: ` ${letters[index]}`, score: score * SPACED },
  ]);
  const tokens = spelt
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ token, score }) => ({ token, logprob: Math.log(score), bytes: [...Buffer.from(token)] }));
  return { ...tokens[0], top_logprobs: tokens.slice(0, top) };
}

/** The first property of a JSON schema that is an enum. */
function enumOf(format: unknown): { readonly name: string; readonly values: readonly unknown[] } | undefined {
  if (format === undefined || format === null) return undefined;
  const { type, json_schema: wrapped } = objectAt(format, 'response_format');
  if (type === 'text') return undefined;
  if (type !== 'json_schema')
    throw new Refusal(400, `response_format.type: expected "json_schema", got ${shownValue(type)}`);
  const schema = objectAt(
    objectAt(wrapped, 'response_format.json_schema').schema,
    'response_format.json_schema.schema',
  );
  for (const [name, property] of Object.entries(objectAt(schema.properties ?? {}, 'schema.properties'))) {
    const values = objectAt(property, `schema.properties.${name}`).enum;
    if (Array.isArray(values)) return { name, values };
  }
  throw new Refusal(400, 'response_format.json_schema.schema: expected a property with an enum');
}

/** The entry that is the most probable label's name; else the one in its place. */
function entryFor(row: Float32Array, labels: readonly string[], values: readonly unknown[]): unknown {
  const best = foremostLabel(row, labels);
  return values.find((value) => value === labels[best]) ?? values[best] ?? values[0];
}
