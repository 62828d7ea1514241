/**
 * @file Measures the cost of attacks over the network. One figure is texts a second through `robust serve` in another process of this
 * machine, over those of the model in this process. The other is the share of concurrency x batch / latency that is reached with a server
 * that answers each request after 50 ms, compared with the share of the bare HTTP client with prepared bytes.
 *
 *     npm run bench dist/bench/remote.js [model] [rounds]
 *
 * The workload is an attack's: see searching.ts. Rounds alternate, each with new texts, so that no cache helps. Processor time is that of
 * both processes, which shows the cost on a busy machine.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { packageRoot } from '../src/core/package-root.js';
import { loadModel } from '../src/model/load.js';
import { kserveV2 } from '../src/serve/kserve-v2.js';
import { listen } from '../src/serve/server.js';
import { rewrites, SEARCHES, STEP, searching } from './searching.js';

const TEXTS = 3000;
const LATENCY = 50;
/** As clients have them by default. */
const [CONCURRENCY, BATCH] = [8, 64];
/** A client starts with few requests at once: these pass before the clock starts. */
const FIRST_TEXTS = 10 * CONCURRENCY * BATCH;
/** Texts to the slow server: enough that the last requests, which run without others, do not count. */
const LATE_TEXTS = 100 * CONCURRENCY * BATCH;
const LATE_PARTS = 4;

const [model = 'bert-mini', rounds = '7'] = process.argv.slice(2);
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number;
const print = (line: string) => process.stdout.write(`${line}\n`);

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

/** Seconds by the clock, and of processors. */
interface Spent {
  readonly seconds: number;
  readonly processor: number;
}

/** Ticks of Linux' accounts a second. */
const TICKS = 100;

/** Processor seconds of a process; NaN if the system does not report them. */
function processorSeconds(pid: number): number {
  try {
    // Behind the name in parentheses, which may hold anything, the 12th and 13th fields: user and system time (man 5 proc).
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  } catch {
    return Number.NaN;
  }
}

async function spent(work: () => Promise<void>, server: number | undefined): Promise<Spent> {
  const processor = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6 + (server === undefined ? 0 : processorSeconds(server));
  };
  const [began, used] = [performance.now(), processor()];
  await work();
  return { seconds: (performance.now() - began) / 1000, processor: processor() - used };
}

const range = (values: readonly number[]): string =>
  `${median(values).toFixed(3)} (${Math.min(...values).toFixed(3)} to ${Math.max(...values).toFixed(3)})`;

async function loopback(all: readonly string[]): Promise<void> {
  const bin = join(packageRoot, 'bin', 'run.js');
  const { url, child } = await started([bin, 'serve', '-m', model, '--port', '0', '--json']);
  const here = await loadModel(model, { cacheEntries: 0 });
  const there = await loadModel(`kserve+${url}/v2/models/${model}`, { cacheEntries: 0 });
  const ratios: Spent[] = [];
  const speeds: number[] = [];
  for (let round = 0; round <= Number(rounds); round++) {
    const texts = all.slice(round * TEXTS, (round + 1) * TEXTS);
    const inside = () => spent(() => searching(here, texts), undefined);
    const over = () => spent(() => searching(there, texts), child.pid);
    const [first, second] = round % 2 ? [await inside(), await over()] : [await over(), await inside()];
    const [local, remote] = round % 2 ? [first, second] : [second, first];
    // The first round opens workers and connections.
    if (round === 0) continue;
    speeds.push(TEXTS / local.seconds);
    ratios.push({ seconds: local.seconds / remote.seconds, processor: local.processor / remote.processor });
  }
  print(
    `${model}, ${SEARCHES} searches of ${STEP} texts a step, ${ratios.length} rounds: ${median(speeds).toFixed(0)} texts/s in this process; ` +
      `through robust serve ${range(ratios.map(({ seconds }) => seconds))} of it, by processor time ${range(ratios.map(({ processor }) => processor))}`,
  );
  await here.close();
  await there.close();
  child.kill('SIGTERM');
}

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
  const texts = Array.from({ length: LATE_TEXTS }, (_, at) => all[at % all.length] as string);
  const bound = (CONCURRENCY * BATCH) / (LATENCY / 1000);
  const part = LATE_TEXTS / LATE_PARTS;
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let at = 0; at < LATE_TEXTS; at += part) {
    const { seconds } = await spent(() => searching(victim, texts.slice(at, at + part)), undefined);
    ours.push(part / seconds / bound);
    bare.push(
      part / (await spent(() => bareRequests(url, texts.slice(0, BATCH), part / BATCH), undefined)).seconds / bound,
    );
  }
  print(
    `${LATENCY} ms before each answer, ${CONCURRENCY} requests of ${BATCH} texts at once, of ${bound} texts/s: ${range(ours)}; the HTTP client alone ${range(bare)}`,
  );
  await victim.close();
  child.kill('SIGTERM');
}

if (model === '--double') await double();
else {
  const all = await rewrites(TEXTS * (Number(rounds) + 1));
  await loopback(all);
  await latency(all);
}
