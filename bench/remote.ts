/**
 * @file Measures what attacks over the network reach: the share of concurrency x batch / latency with a server that answers each request after
 * 50 ms, compared with the share of the bare HTTP client with prepared bytes.
 *
 *     npm run bench dist/bench/remote.js
 *
 * The workload is an attack's: see searching.ts.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { Agent, request } from 'undici';
import { loadModel } from '../src/model/load.js';
import { kserveV2 } from '../src/serve/kserve-v2.js';
import { listen } from '../src/serve/server.js';
import { rewrites, searching } from './searching.js';

const LATENCY = 50;
/** As clients have them by default. */
const [CONCURRENCY, BATCH] = [8, 64];
/** A client starts with few requests at once: these pass before the clock starts. */
const FIRST_TEXTS = 10 * CONCURRENCY * BATCH;
/** Texts to the slow server: enough that the last requests, which run without others, do not count. */
const LATE_TEXTS = 100 * CONCURRENCY * BATCH;
const LATE_PARTS = 4;

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number;

/** Sends the same answer to every request after `LATENCY` ms. */
async function double(): Promise<void> {
  const row = Float32Array.of(0.25, 0.75);
  const model = {
    name: 'double',
    sha256: '0'.repeat(64),
    labels: ['negative', 'positive'],
    scores: async (texts: readonly string[]) => {
      await new Promise((resolve) => setTimeout(resolve, LATENCY));
      return texts.map((text) => (text.length % 2 ? row : row.toReversed()));
    },
  };
  const { url } = await listen({
    ...{ model, routes: kserveV2(model, '0'), host: '127.0.0.1', port: 0 },
    ...{ maxBatch: 256, maxQueue: 1e6, maxBody: 1e7, timeout: 60, grace: 1 },
  });
  process.stdout.write(`${JSON.stringify({ result: { url } })}\n`);
}

/** The address that a server prints once it answers. */
async function started(args: readonly string[]): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  let said = '';
  for await (const data of child.stdout) {
    said += data;
    if (said.includes('\n')) break;
  }
  const { result } = JSON.parse(said) as { result: { url: string } };
  return { url: result.url, child };
}

/** Seconds by the clock. */
async function secondsOf(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

const range = (values: readonly number[]): string =>
  `${median(values).toFixed(3)} (${Math.min(...values).toFixed(3)} to ${Math.max(...values).toFixed(3)})`;

/** The same request again and again, as many at once as a client sends. */
async function bareRequests(url: string, texts: readonly string[], count: number): Promise<void> {
  const dispatcher = new Agent({ connections: CONCURRENCY });
  const body = JSON.stringify({ inputs: [{ name: 'text', shape: [texts.length], datatype: 'BYTES', data: texts }] });
  let left = count;
  const asking = async () => {
    while (left-- > 0) {
      const options = { method: 'POST', body, dispatcher, headers: { 'content-type': 'application/json' } } as const;
      const answer = await request(`${url}/v2/models/double/infer`, options);
      await answer.body.json();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, asking));
  await dispatcher.close();
}

async function latency(all: readonly string[]): Promise<void> {
  const { url, child } = await started([process.argv[1] as string, '--double']);
  const victim = await loadModel(`kserve+${url}/v2/models/double`, { cacheEntries: 0 });
  await searching(victim, all.slice(0, FIRST_TEXTS));
  const bound = (CONCURRENCY * BATCH) / (LATENCY / 1000);
  const part = LATE_TEXTS / LATE_PARTS;
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let at = 0; at < LATE_TEXTS; at += part) {
    ours.push(part / (await secondsOf(() => searching(victim, all.slice(at, at + part)))) / bound);
    bare.push(part / (await secondsOf(() => bareRequests(url, all.slice(0, BATCH), part / BATCH))) / bound);
  }
  console.log(
    `${LATENCY} ms before each answer, ${CONCURRENCY} requests of ${BATCH} texts at once, of ${bound} texts/s: ${range(ours)}; the HTTP client alone ${range(bare)}`,
  );
  await victim.close();
  child.kill('SIGTERM');
}

if (process.argv[2] === '--double') await double();
else await latency(await rewrites(LATE_TEXTS));
