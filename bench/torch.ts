/**
 * @file The model's pass beside PyTorch's, which is what an attack in Python spends at least on every text it asks about: processor time of a
 * batch, one thread each, runs in turn, random weights of the same shape. A tenth of the runs is faster than the figures shown.
 *
 *     npm run bench dist/bench/torch.js -- PYTHON       # a Python that has torch and transformers
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readModelOutline } from '../packages/onnx/src/graph/load.js';
import { packageRoot } from '../src/core/package-root.js';
import { withInt8Products } from '../src/model/graph/int8-products.js';
import { linkedGraph } from '../src/model/graph/linked-graph.js';
import { withPrunedRows } from '../src/model/graph/row-pruning.js';
import { weightBits } from '../src/model/workers/int8-weights.js';
import { OrtSession } from '../src/model/workers/session.js';
import { DISTILBERT_BASE, type EncoderShape, encoder, SMALL } from './models.js';
import { tokenFeeds } from './token-feeds.js';

const RUNS = 21;
/** Texts and tokens of a batch. */
const BATCHES = [
  [1, 30],
  [16, 30],
] as const;

const python = process.argv.slice(2).find((argument) => argument !== '--');
if (python === undefined) throw new Error('expected the path of a Python that has torch and transformers');

/** PyTorch in a process of its own: it is asked for one batch at a time. */
class Torch {
  readonly #lines: AsyncIterator<string>;
  readonly #process: ChildProcessWithoutNullStreams;

  constructor({ layers, dim, heads, ffn, vocabulary, positions }: EncoderShape) {
    const shape = [layers, dim, heads, ffn, vocabulary, positions].map(String);
    this.#process = spawn(python as string, [join(packageRoot, 'bench', 'torch-forward.py'), ...shape]);
    this.#process.stderr.pipe(process.stderr);
    this.#lines = createInterface(this.#process.stdout)[Symbol.asyncIterator]();
  }

  async #line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('PyTorch ended: its message is above');
    return value;
  }

  async about(): Promise<{ torch: string; transformers: string; precisions: string[] }> {
    return JSON.parse(await this.#line());
  }

  async time(precision: string, texts: number, tokens: number): Promise<number> {
    this.#process.stdin.write(`${precision} ${texts} ${tokens}\n`);
    return Number(await this.#line());
  }

  close(): void {
    this.#process.stdin.end();
  }
}

const scratch = mkdtempSync(join(tmpdir(), 'robust-torch-'));

/** Our sessions: as attacks ask them, in single precision and in 8 bits. */
async function ours(shape: EncoderShape) {
  const file = join(scratch, `${shape.dim}.onnx`);
  writeFileSync(file, encoder(shape));
  const pruned = withPrunedRows(await readModelOutline(file));
  const int8 = pruned && withInt8Products(pruned, await weightBits());
  if (pruned === undefined || int8 === undefined)
    throw new Error('expected a graph whose last block and products can be rewritten');
  const open = async (model: typeof pruned) => OrtSession.open({ source: linkedGraph(model, file) ?? file });
  return { graph: int8.model.graph, 'robust fp32': await open(pruned), 'robust int8': await open(int8.model) };
}

async function timed(session: OrtSession, given: Parameters<OrtSession['run']>[0]): Promise<number> {
  const begun = process.cpuUsage();
  await session.run(given);
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
}

for (const shape of [SMALL, DISTILBERT_BASE]) {
  const torch = new Torch(shape);
  const { torch: version, transformers, precisions } = await torch.about();
  const { graph, ...sessions } = await ours(shape);
  if (shape === SMALL) {
    console.log(`torch ${version}, transformers ${transformers}, ms of processor time a batch\n`);
    const names = [...precisions.map((name) => `torch ${name}`), ...Object.keys(sessions)];
    console.log(`| layers x width | texts x tokens | ${names.join(' | ')} | best torch over robust fp32 | over int8 |`);
    console.log(`|---|---|${'---:|'.repeat(names.length + 2)}`);
  }
  for (const [texts, tokens] of BATCHES) {
    const given = tokenFeeds(graph, texts, tokens);
    const runs = [
      ...precisions.map((precision) => () => torch.time(precision, texts, tokens)),
      ...Object.values(sessions).map((session) => () => timed(session, given)),
    ].map((run) => ({ run, times: [] as number[] }));
    for (let at = -3; at < RUNS; at++) {
      for (const { run, times } of runs) {
        const took = await run();
        if (at >= 0) times.push(took);
      }
    }
    const low = runs.map(({ times }) => times.toSorted((a, b) => a - b)[Math.floor(RUNS / 10)] as number);
    const best = Math.min(...low.slice(0, precisions.length));
    const [fp32 = 0, int8 = 0] = low.slice(precisions.length);
    const figures = [...low, best / fp32, best / int8].map((figure) => figure.toFixed(2));
    console.log(`| ${shape.layers} x ${shape.dim} | ${texts} x ${tokens} | ${figures.join(' | ')} |`);
  }
  torch.close();
  await Promise.all(Object.values(sessions).map((session) => session.release()));
}
rmSync(scratch, { recursive: true });
