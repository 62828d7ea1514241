/** A resumed run recognises an endpoint whose weights were replaced behind the same name: it refuses to mix the answers of two models. */
import { afterAll, describe, expect, test } from 'vitest';
import { folder, robust } from '../commands/cli.js';
import { scene } from '../scenes.js';
import { askedOf, journal } from './runs.js';
import { kserve, type Log, scoreOf, serving, stopServing } from './server.js';

afterAll(stopServing);

const LABELS = ['negative', 'positive'];
const PROBE_REQUESTS = 3;
const TEXTS = 300;

/** Texts about good and dull films. */
const DATA = `text\tlabel\n${Array.from(
  { length: TEXTS },
  (_, at) => `The ${scene(at)}: a ${at % 2 ? 'good' : 'dull'} film number ${at}.\t${at % 2}`,
).join('\n')}\n`;

/** A model: `weight` is the most that a text can score. */
const scored =
  (weight: number) =>
  (text: string): number[] => {
    const positive = (/\bgood\b/.test(text) ? weight : 1 - weight) - 0.02 * (scoreOf(text)[1] as number);
    return [1 - positive, positive];
  };

interface Endpoint {
  readonly url: string;
  readonly log: Log;
  score: (text: string) => number[];
  /** Requests for scores after which it fails; undefined: never. */
  failsAfter: number | undefined;
}

async function endpointOf(score: (text: string) => number[]): Promise<Endpoint> {
  const log: Log = { batches: [] };
  const endpoint: Endpoint = { url: '', log, score, failsAfter: undefined };
  const handler = kserve(
    LABELS,
    async (texts) => texts.map((text) => endpoint.score(text)),
    log,
    (response) => {
      const fails = log.batches.length >= (endpoint.failsAfter ?? Number.POSITIVE_INFINITY);
      if (fails) response.writeHead(503, { 'retry-after-ms': '1' }).end();
      return fails;
    },
  );
  return Object.assign(endpoint, { url: await serving(handler) });
}

const attackOn = ({ url }: Endpoint, flags: readonly string[]): string[] => [
  ...['attack', '-m', `kserve+${url}/v2/models/m`, '-d', 'data.tsv', '--runtime', 'concurrency=1'],
  ...(flags.includes('-a') ? flags : ['-a', 'deepwordbug', ...flags]),
];

/** A run that ended because the endpoint failed after a number of requests; the endpoint works again. */
async function interrupted(endpoint: Endpoint, after: number, flags: readonly string[]): Promise<string> {
  const cwd = folder({ 'data.tsv': DATA });
  endpoint.failsAfter = after;
  const ended = await robust(attackOn(endpoint, flags), { cwd });
  expect(ended, ended.stderr).toMatchObject({ code: 3, stderr: expect.stringContaining('--resume') });
  endpoint.failsAfter = undefined;
  return cwd;
}

const resume = (cwd: string) => robust(['attack', '--resume'], { cwd });

let questions = 0;
/** The same model, whose answers vary by up to `most`. */
const varying = (score: (text: string) => number[], most: number) => (text: string) => {
  const shift = most * (((++questions * 7919) % 101) / 100 - 0.5);
  const [low, high] = score(text) as [number, number];
  return [low - shift, high + shift];
};
const decided = (score: (text: string) => number[]) => (text: string) => {
  const [low, high] = score(text) as [number, number];
  return low > high ? [1, 0] : [0, 1];
};
const turned = (score: (text: string) => number[]) => (text: string) => score(text).toReversed();

const MODEL = scored(0.7);
const WHILE_ATTACKED = PROBE_REQUESTS + 5 + 20;
const WHILE_ANSWERING = PROBE_REQUESTS + 3;

describe.each([
  ['while it was attacked', MODEL, scored(0.65), WHILE_ATTACKED, ['-n', '40']],
  ['by weights that differ in the fourth decimal', MODEL, scored(0.7004), WHILE_ATTACKED, ['-n', '40']],
  ['while it answered the unedited texts', MODEL, scored(0.65), WHILE_ANSWERING, ['-n', '0']],
  ['whose answers vary', varying(MODEL, 0.01), varying(scored(0.6), 0.01), WHILE_ATTACKED, ['-n', '40']],
  [
    'behind a defence that votes',
    MODEL,
    turned(MODEL),
    150,
    ['-a', 'hard-label', '-n', '40', '--defend', 'ranmask:rate=0.1:samples=3'],
  ],
  [
    'that answers labels alone',
    decided(MODEL),
    (text: string) => (/number 1/.test(text) ? [1, 0] : decided(MODEL)(text)),
    WHILE_ATTACKED,
    ['-a', 'hard-label', '-n', '40'],
  ],
] as const)('an endpoint that was replaced %s', (_, before, after, requests, flags) => {
  test('is refused, by the gate too', async () => {
    const endpoint = await endpointOf(before);
    const cwd = await interrupted(endpoint, requests, flags);
    endpoint.score = after;
    const refused = await resume(cwd);
    expect({ code: refused.code, stderr: refused.stderr }).toMatchObject({ code: 2, stderr: expect.anything() });
    expect(refused.stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /run \S+ cannot be continued: .* no longer gives the answers that it gave before: example \d+: expected [\d.]+ for (negative|positive), got [\d.e-]+ \(\d of \d texts queried again differ by more than .*start again from the beginning/,
    );
    const judged = await robust(['gate', 'latest', '--require', 'clean.accuracy>=0.1'], { cwd });
    expect(judged).toMatchObject({ code: 2, stderr: expect.stringContaining('--resume') });
    endpoint.score = before;
    expect(await resume(cwd)).toMatchObject({ code: 0 });
  });
});

describe.each([
  ['while it was attacked', WHILE_ATTACKED, ['-n', '40']],
  ['while it answered the unedited texts', WHILE_ANSWERING, ['-n', '0']],
] as const)('an endpoint that stayed the same, interrupted %s,', (_, requests, flags) => {
  test('repeats eight queries, which count, and gives the outcomes of an undisturbed run', async () => {
    const endpoint = await endpointOf(MODEL);
    const cwd = await interrupted(endpoint, requests, flags);
    const before = endpoint.log.batches.flat();
    const sent = endpoint.log.batches.length;
    expect(await resume(cwd)).toMatchObject({ code: 0 });
    const again = endpoint.log.batches.slice(sent).flat();
    expect(again.filter((text) => before.includes(text))).toEqual(again.slice(0, 8));
    expect(askedOf(cwd).requests).toBe(endpoint.log.batches.length);
    const whole = folder({ 'data.tsv': DATA });
    expect(await robust(attackOn(endpoint, flags), { cwd: whole })).toMatchObject({ code: 0 });
    expect(journal(cwd)).toBe(journal(whole));
  });
});

test.each([0.001, 0.05, 0.2])('an endpoint whose answers vary by %d goes on', async (most) => {
  for (const requests of [WHILE_ATTACKED, WHILE_ANSWERING]) {
    const endpoint = await endpointOf(varying(MODEL, most));
    const cwd = await interrupted(endpoint, requests, ['-n', requests === WHILE_ATTACKED ? '40' : '0']);
    expect(await resume(cwd)).toMatchObject({ code: 0 });
  }
});

test('an endpoint whose scores depend on the other texts of a request goes on', async () => {
  const log: Log = { batches: [] };
  let fails = false;
  const url = await serving(
    kserve(
      LABELS,
      async (texts) =>
        texts.map((text) => {
          const [low, high] = MODEL(text) as [number, number];
          const shift = 0.02 * (scoreOf(texts.join())[1] as number);
          return [low - shift, high + shift];
        }),
      log,
      (response) => {
        if (fails || log.batches.length < WHILE_ATTACKED) return false;
        response.writeHead(503, { 'retry-after-ms': '1' }).end();
        return true;
      },
    ),
  );
  const cwd = folder({ 'data.tsv': DATA });
  const endpoint = { url } as Endpoint;
  expect(await robust(attackOn(endpoint, ['-n', '40']), { cwd })).toMatchObject({ code: 3 });
  fails = true;
  expect(await resume(cwd)).toMatchObject({ code: 0 });
});
