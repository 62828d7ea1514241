/** A language model as reader: it sees what people see, its answers survive failures, and it never counts as a person. */
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { Context } from '../../src/app/context.js';
import { judgeReview } from '../../src/app/review/judge.js';
import { ReviewFolder } from '../../src/review/folder.js';
import { readJournal } from '../../src/review/journal.js';
import { makePlan } from '../../src/review/make-plan.js';
import { refusal } from '../refusal.js';
import { serving, stopServing } from '../remote/server.js';
import { folderOf, LABELS, outcome, planned, subject } from './toys.js';

interface ChatRequest {
  readonly model: string;
  readonly system: string;
  readonly text: string;
}

afterEach(stopServing);

/** A chat model that answers a letter. `answer` may answer by itself, by a status. */
async function chat(answer: (request: ChatRequest) => string | number) {
  const requests: ChatRequest[] = [];
  const url = await serving((body, _, response) => {
    const { model, messages } = JSON.parse(body) as { model: string; messages: { content: string }[] };
    const [system = '', user = ''] = messages.map(({ content }) => content);
    const request = { model, system, text: /^<text>\n(.*)\n<\/text>$/s.exec(user)?.[1] ?? '' };
    requests.push(request);
    const content = answer(request);
    if (typeof content === 'string') return { choices: [{ message: { content } }] };
    response.statusCode = content;
    return { error: { message: 'no' } };
  });
  return { requests, address: `openai-chat+${url}/v1#Toy/Chat-7B` };
}

const opened = async () => ReviewFolder.create(folderOf(), await planned());
const judge = (
  folder: ReviewFolder,
  address: string,
  {
    as,
    maxRequests,
    hooks = {},
  }: { as?: string; maxRequests?: number; hooks?: ConstructorParameters<typeof Context>[0] } = {},
) =>
  new Context({ remote: { pause: 0 }, ...hooks }, { maxRequests }).scope((context) =>
    judgeReview(folder, address, as, context),
  );
const journalOf = (folder: ReviewFolder, reader = 'judge-toy-chat-7b') =>
  readJournal(join(folder.path, `${reader}.jsonl`));

test('it gets the texts that people get and nothing else, each in a request of its own, repeats too', async () => {
  const folder = await opened();
  const { requests, address } = await chat(() => 'A');
  const { items } = folder.plan;
  expect(await judge(folder, address)).toEqual({
    reader: 'judge-toy-chat-7b',
    address,
    answers: items.length,
    unanswered: 0,
  });
  expect(requests.map(({ text }) => text).sort()).toEqual(items.map(({ text }) => text).sort());
  expect(new Set(requests.map(({ system }) => system)).size).toBe(1);
  const [{ system } = { system: '' }] = requests;
  expect(system).toContain("Which label fits this text?\nA: negative\nB: positive\nC: can't tell");
  for (const secret of ['typos', 'synonyms', 'attack', 'original', folder.plan.key])
    expect(system).not.toContain(secret);
});

test('its journal is marked as that of a model at an address; a letter is an answer, other words count as unsure', async () => {
  const folder = await opened();
  const { address } = await chat(({ text }) => (text.includes('9') ? 'C' : text.includes('8') ? 'Sorry, no.' : 'B'));
  await judge(folder, address);
  const { header, readings } = journalOf(folder);
  expect(header).toEqual({
    schemaVersion: 1,
    plan: folder.plan.key,
    reader: 'judge-toy-chat-7b',
    kind: 'model',
    address,
  });
  for (const { id, text } of folder.plan.items)
    expect(readings.get(id), text).toEqual({ answer: /[89]/.test(text) ? null : 1 });
  const other = await chat(() => 'A');
  await expect(judge(folder, other.address)).rejects.toMatchObject({ code: 'REVIEW_MISMATCH' });
  await refusal(() => folder.session('judge-toy-chat-7b'));
  folder.session('anna');
  await expect(judge(folder, address, { as: 'anna' })).rejects.toMatchObject({ code: 'REVIEW_MISMATCH', exit: 2 });
});

describe('nothing is lost', () => {
  test('if the endpoint fails: exit code 3, and the next call asks only what is missing', async () => {
    const folder = await opened();
    let calls = 0;
    const { requests, address } = await chat(() => (++calls > 20 && calls < 100 ? 401 : 'B'));
    await expect(judge(folder, address)).rejects.toMatchObject({ code: 'ACCESS_DENIED', exit: 3 });
    const kept = journalOf(folder).readings.size;
    expect(kept).toBe(20);
    requests.splice(0);
    calls = 100;
    const { answers } = await judge(folder, address);
    expect(answers).toBe(folder.plan.items.length - kept);
    expect(requests).toHaveLength(answers);
    expect(journalOf(folder).readings.size).toBe(folder.plan.items.length);
    expect(await judge(folder, address)).toMatchObject({ answers: 0 });
  });

  test('if the requests are spent: exit code 4, and each call goes on', async () => {
    const folder = await opened();
    const { address } = await chat(() => 'B');
    for (const kept of [30, 60]) {
      await expect(judge(folder, address, { maxRequests: 30 })).rejects.toMatchObject({
        code: 'REQUESTS_SPENT',
        exit: 4,
      });
      expect(journalOf(folder).readings.size).toBe(kept);
    }
  });

  test('if it is interrupted', async () => {
    const folder = await opened();
    const stop = new AbortController();
    const { requests, address } = await chat(() => {
      if (requests.length === 10) stop.abort();
      return 'B';
    });
    await expect(judge(folder, address, { hooks: { signal: stop.signal } })).rejects.toMatchObject({
      code: 'INTERRUPTED',
    });
    expect(journalOf(folder).readings.size).toBe(requests.length);
    expect(requests.length).toBeLessThan(folder.plan.items.length);
  });

  test('a text that the endpoint does not take stays open, with a warning', async () => {
    const folder = await opened();
    const warnings: string[] = [];
    const long = folder.plan.items.filter(({ text }) => text.includes('7')).length;
    const { address } = await chat(({ text }) => (text.includes('7') ? 400 : 'A'));
    const found = await judge(folder, address, { hooks: { onWarning: (line) => warnings.push(line) } });
    expect(found).toMatchObject({ answers: folder.plan.items.length - long, unanswered: long });
    expect(warnings.join()).toMatch(new RegExp(`did not answer ${long} texts: .*HTTP 400`));
  });
});

test('each of several labels is a question of its own', async () => {
  const labels = ['rude', 'threat', 'insult'];
  const rule = { kind: 'multi-label', at: [0.5, 0.5, 0.5] } as const;
  const outcomes = Array.from({ length: 40 }, (_, at) => outcome(at, 'typos', { labels: [at % 3] }));
  const plan = await makePlan(subject(outcomes, { labels, rule }), { texts: 4, seed: 1 });
  const folder = ReviewFolder.create(folderOf(), plan);
  const { requests, address } = await chat(({ text }) => (/^Label: (rude|insult)\n/.test(text) ? 'A' : 'B'));
  await judge(folder, address);
  expect(requests).toHaveLength(3 * plan.items.length);
  expect(requests[0]?.system).toContain("A: yes\nB: no\nC: can't tell");
  expect([...journalOf(folder).readings.values()].map(({ answer }) => answer)).toEqual(plan.items.map(() => [0, 2]));
});

test('both texts of a pair are in the request', async () => {
  const pairs = Array.from({ length: 30 }, (_, at) => outcome(at, 'typos', { text2: `premise ${at}` }));
  const plan = await makePlan(subject(pairs), { texts: 4, seed: 1 });
  const { requests, address } = await chat(() => 'A');
  await judge(ReviewFolder.create(folderOf(), plan), address);
  for (const { text } of requests) expect(text).toMatch(/^First text: premise \d+\n\nSecond text: text /);
});

describe('the address', () => {
  test.each(['kserve+http://127.0.0.1:1/v2/models/m', 'bert-mini', 'none.yaml'])(
    '%s is no chat model',
    async (address) => {
      await expect(judge(await opened(), address)).rejects.toMatchObject({ code: 'ADDRESS_INVALID', exit: 2 });
    },
  );

  test('another machine gets the texts only with a warning', async () => {
    const { address } = await chat(() => 'A');
    for (const [host, told] of [
      ['127.0.0.1', false],
      ['0.0.0.0', true],
    ] as const) {
      const warnings: string[] = [];
      const hooks = { onWarning: (line: string) => warnings.push(line) };
      await judge(await opened(), address.replace('127.0.0.1', host), { hooks, maxRequests: 1 }).catch(() => {});
      expect(
        warnings.some((line) => line.includes('not on this machine: the texts of this review are sent there')),
      ).toBe(told);
    }
  });

  test('more labels than letters are refused before a text is sent', async () => {
    const { address, requests } = await chat(() => 'A');
    const labels = Array.from({ length: 27 }, (_, at) => `${LABELS[0]} ${at}`);
    const outcomes = Array.from({ length: 30 }, (_, at) => outcome(at, 'typos'));
    const plan = await makePlan(subject(outcomes, { labels }), { texts: 4, seed: 1 });
    await expect(judge(ReviewFolder.create(folderOf(), plan), address)).rejects.toMatchObject({
      code: 'LABELS_MISMATCH',
    });
    expect(requests).toEqual([]);
  });
});
