/** A redaction service by address: Presidio's analyze protocol, answered by a server of regular expressions. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attack, serve } from '../../src/api.js';
import type { TagReading } from '../../src/core/output-reading.js';
import { withEntities } from '../../src/core/tags/tagged-query.js';
import { type LoadedModel, type LoadOptions, loadModel } from '../../src/model/load.js';
import { spanEndpoint } from '../../src/protocols/spans.js';
import { refusal } from '../refusal.js';
import { serving, stopServing } from '../remote/server.js';

const home = process.cwd();
const folder = mkdtempSync(join(tmpdir(), 'robust-presidio-'));
beforeAll(() => process.chdir(folder));
afterAll(() => {
  process.chdir(home);
  stopServing();
});

const TYPES = ['PHONE_NUMBER', 'PERSON', 'URL', 'EMAIL_ADDRESS'];
const codePoints = (text: string, offset: number): number => [...text.slice(0, offset)].length;

/** As Presidio answers: offsets in code points, overlapping finds of several recognisers. */
const analyze = (text: string) =>
  (
    [
      ['PERSON', /Ann Lee|Annabel Lester|Robert Raymond/g, 0.85],
      ['EMAIL_ADDRESS', /\S+@\S+\.org/g, 1],
      ['URL', /\w+\.org/g, 0.5],
      ['PHONE_NUMBER', /555-\d{4}/g, 0.4],
    ] as const
  ).flatMap(([entity_type, pattern, score]) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) => ({
      entity_type,
      start: codePoints(text, index),
      end: codePoints(text, index + found.length),
      score,
      analysis_explanation: null,
    })),
  );

interface Service {
  readonly url: string;
  readonly asked: string[];
}

async function service(answer: (text: string) => unknown = analyze): Promise<Service> {
  const asked: string[] = [];
  const url = await serving((body, { url = '', method }, response) => {
    if (method === 'GET' && url === '/supportedentities?language=en') return TYPES;
    if (method !== 'POST' || url !== '/analyze') return response.writeHead(404).end();
    const { text, language } = JSON.parse(body) as { text: string; language: string };
    if (typeof text !== 'string' || language !== 'en') return response.writeHead(500).end('{"error":"No text"}');
    asked.push(text);
    const answered = answer(text);
    return typeof answered === 'string' ? response.end(answered) : answered;
  });
  return { url: `presidio+${url}`, asked };
}

const opening = {
  decision: 'tags',
  tags: { aggregation: 'simple', match: 'whole', least: 0 },
  remote: { pause: 1 },
} satisfies LoadOptions;

async function opened<T>(url: string, use: (model: LoadedModel) => Promise<T>, options: LoadOptions = {}): Promise<T> {
  const model = await loadModel(url, { ...opening, ...options });
  try {
    return await use(model);
  } finally {
    await model.close();
  }
}

const TEXT = '\u{1F600} Ann Lee wrote from ann@lee.org, call 555-0199';
const entity = (words: string, type: string) => {
  const start = TEXT.indexOf(words);
  return { start, end: start + words.length, type };
};

test('offsets in code points, the highest score of overlapping spans, one request for all entities of a text', async () => {
  const { url, asked } = await service();
  await opened(url, async (model) => {
    expect(model.labels).toEqual(['EMAIL_ADDRESS', 'PERSON', 'PHONE_NUMBER', 'URL', 'O']);
    const { spans } = await model.tags!.tags(TEXT);
    expect(spans.map(({ start, end, type, score }) => [TEXT.slice(start, end), type, score])).toEqual([
      ['Ann Lee', 'PERSON', 0.85],
      ['ann@lee.org', 'EMAIL_ADDRESS', 1],
      ['555-0199', 'PHONE_NUMBER', 0.4],
    ]);
    const before = asked.length;
    const entities = [entity('Ann Lee', 'PERSON'), entity('ann@lee.org', 'EMAIL_ADDRESS'), entity('wrote', 'PERSON')];
    const rows = await model.classify(entities.map((_, at) => withEntities(TEXT, { entities, entity: at })));
    const decided = rows.map((row) => model.labels[row.indexOf(Math.max(...row))]);
    expect(decided).toEqual(['PERSON', 'EMAIL_ADDRESS', 'O']);
    expect(rows[0]![1]).toBeCloseTo(0.45 * 0.85 + 0.55, 5);
    expect(asked.length).toBe(before);
  });
});

test('characters outside of the surest span stay covered; spans below the threshold are dropped', async () => {
  const { url } = await service(() => [
    { entity_type: 'URL', start: 0, end: 9, score: 0.3 },
    { entity_type: 'PERSON', start: 2, end: 5, score: 0.9 },
  ]);
  const spans = (least: number) =>
    opened(url, async (model) => (await model.tags!.tags('ab cd ef gh')).spans, { tags: { ...opening.tags, least } });
  expect((await spans(0)).map(({ start, end, type }) => [start, end, type])).toEqual([
    [0, 2, 'URL'],
    [2, 5, 'PERSON'],
    [5, 9, 'URL'],
  ]);
  expect((await spans(0.5)).map(({ type }) => type)).toEqual(['PERSON']);
});

test('stored answers are distinguished by every threshold that they were read with', () => {
  const read = { aggregation: 'simple', match: 'whole' } as const;
  const facts = [
    { least: 0 },
    { least: 0.3 },
    { least: 0, leastByType: { PERSON: 0.6 } },
    { least: 0.3, leastByType: { PERSON: 0.6 } },
  ].map((least) => {
    const tags: TagReading = { ...read, ...least };
    return JSON.stringify(spanEndpoint({ tags, redact: (text) => text, url: 'http://host' }, TYPES).facts);
  });
  expect(new Set(facts).size).toBe(facts.length);
});

const span = { entity_type: 'PERSON', start: 0, end: 3, score: 0.5 };
test.each([
  ['an object', { error: 'down' }],
  ['a list of words', ['PERSON']],
  ['an end behind the text', [{ ...span, end: 1e9 }]],
  ['an empty span', [{ ...span, end: 0 }]],
  ['a negative start', [{ ...span, start: -1 }]],
  ['half a character', [{ ...span, end: 1.5 }]],
  ['offsets in words', [{ ...span, start: '0' }]],
  ['a method of lists as an offset', [{ ...span, start: 'at' }]],
  ['NaN', '[{"entity_type": "PERSON", "start": 0, "end": 3, "score": NaN}]'],
  ['a score of 2', [{ ...span, score: 2 }]],
  ['an unknown type', [{ ...span, entity_type: 'constructor' }]],
  ['half a JSON', '[{"entity_type": "PER'],
  ['too many spans', Array.from({ length: 10_001 }, () => span)],
])('hostile answers are errors in words: %s', async (_, answer) => {
  const { url } = await service(() => answer);
  await refusal(opened(url, (model) => model.tags!.tags('some text')));
});

test('a fault that passes is retried', async () => {
  let faults = 3;
  const { url } = await service((text) => (faults-- > 0 ? { error: 'busy' } : analyze(text)));
  expect(await opened(url, async (model) => (await model.tags!.tags(TEXT)).spans.length)).toBe(3);
});

test('each mistake has its message', async () => {
  const { url } = await service();
  const { decision: _, ...labels } = opening;
  await expect(loadModel(url, labels)).rejects.toMatchObject({ code: 'TASK_MISMATCH' });
  await expect(opened(url.replace('presidio', 'openai-moderation'), async () => {})).rejects.toMatchObject({
    code: 'TASK_MISMATCH',
  });
  const nothing = await serving((_body, _request, response) => response.writeHead(404).end());
  await refusal(
    opened(`presidio+${nothing}`, async () => {}),
    'ENDPOINT_MISMATCH',
  );
});

const names = ['Annabel Lester', 'Robert Raymond'];
const rows = Array.from({ length: 8 }, (_, at) => {
  const name = names[at % 2]!;
  const text = `Note ${at}: please call ${name} about the broken printer`;
  return { text, spans: [{ start: text.indexOf(name), end: text.indexOf(name) + name.length, type: 'PERSON' }] };
});
const data = join(folder, 'notes.jsonl');
writeFileSync(data, rows.map((row) => JSON.stringify(row)).join('\n'));
const settings = { data, task: 'tags', numExamples: 0, attacks: ['deepwordbug'], workers: 1, force: true } as const;

test('an attack by typos makes the service leak the names that it found', async () => {
  const { url, asked } = await service();
  const { attacks, clean } = await attack({ ...settings, model: url, goal: 'leak' });
  expect(clean.accuracy.value).toBe(1);
  expect(attacks[0]).toMatchObject({ succeeded: 8 });
  expect(asked.some((text) => /Note \d: please call/.test(text) && !/Annabel Lester|Robert Raymond/.test(text))).toBe(
    true,
  );
  expect(asked.every((text) => !text.includes('\uFDD1'))).toBe(true);
});

test('the limit of requests ends an attack as it does for every endpoint', async () => {
  const { url, asked } = await service();
  await attack({ ...settings, model: url, maxRequests: 20 }).catch((error: unknown) =>
    expect(error).toMatchObject({ code: 'REQUESTS_SPENT' }),
  );
  expect(asked.length).toBeLessThanOrEqual(20);
  expect(asked.length).toBeGreaterThan(8);
});

test('robust serve has no protocol of spans', async () => {
  const model = fileURLToPath(new URL('goldens/bert', import.meta.url));
  await expect(serve({ model, task: 'tags', port: 0 })).rejects.toMatchObject({ code: 'TASK_UNSUPPORTED' });
});

test('spaCy and the pipeline of transformers: answers of other shapes, and types from --labels', async () => {
  const start = TEXT.indexOf('Ann Lee');
  const at = codePoints(TEXT, start);
  const answers = {
    spacy: { text: TEXT, ents: [{ start: at, end: at + 7, label: 'PERSON' }] },
    'hf-inference': [{ entity_group: 'PERSON', score: 0.7, word: 'Ann Lee', start: at, end: at + 7 }],
  };
  for (const [name, answer] of Object.entries(answers)) {
    const asked: string[] = [];
    const url = await serving((body) => {
      asked.push(body);
      return answer;
    });
    await opened(
      `${name}+${url}/ner`,
      async (model) => {
        expect(model.labels).toEqual(['PERSON', 'O']);
        const { spans } = await model.tags!.tags(TEXT);
        expect(spans.map(({ type, score }) => [type, score])).toEqual([['PERSON', name === 'spacy' ? 1 : 0.7]]);
        expect(TEXT.slice(spans[0]!.start, spans[0]!.end)).toBe('Ann Lee');
        expect(JSON.parse(asked.at(-1)!)).toMatchObject(name === 'spacy' ? { text: TEXT } : { inputs: TEXT });
      },
      { labels: ['PERSON'] },
    );
    await expect(opened(`${name}+${url}/ner`, async () => {})).rejects.toMatchObject({
      hint: expect.stringContaining('--labels'),
    });
  }
});
