/** @file Reuse of shared beginnings: answers equal the whole graph's, and their bits depend on the text alone. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { convertCheckpoint } from '../../packages/onnx/src/convert/index.js';
import { saveModel } from '../../packages/onnx/src/convert/save.js';
import {
  answers,
  type Configuration,
  checkpointOf,
  configurationsIn,
  distance,
  temporary,
} from '../../packages/onnx/test/convert/checkpoints.js';
import { loadModel } from '../../src/model/load.js';
import { Beginnings } from '../../src/model/workers/beginnings.js';
import { ContinuedSession } from '../../src/model/workers/continued-session.js';
import { tries } from '../cover.js';

const decoders = configurationsIn('decoders.json');
const SPELLINGS = [[[5], [7, 9]], [[11, 12, 13]]];

/** The graphs of a checkpoint: the whole one, and a session that continues texts, if there is one. */
async function drawn({ config, tensors }: Pick<Configuration, 'config' | 'tensors'>) {
  const folder = checkpointOf({ config, tensors });
  const causal = /CausalLM|LMHeadModel/.test(String((config.architectures as string[])[0]));
  const { model, continued } = convertCheckpoint(folder, config, {
    continued: true,
    ...(causal && { answers: SPELLINGS }),
  });
  if (continued === undefined) return { model, open: undefined };
  const path = join(folder, 'continued.onnx');
  saveModel(model, join(folder, 'model.onnx'), { second: { model: continued, path } });
  return { model, open: () => ContinuedSession.open(path, ['input_ids', 'attention_mask']) };
}

type Drawn = Awaited<ReturnType<typeof drawn>>;

const batch = (rows: readonly (readonly number[])[]) => ({
  ids: Int32Array.from(rows.flat()),
  texts: rows.length,
  length: rows[0]!.length,
});

/** Answers to texts in one batch, in the order given. */
async function asked(
  session: ContinuedSession,
  rows: readonly (readonly number[])[],
  prompt?: Int32Array,
  cut?: number,
): Promise<Float32Array> {
  const { data } = await session.run('logits', batch(rows), prompt, cut);
  return data as Float32Array;
}

async function whole({ model }: Drawn, rows: readonly (readonly number[])[]): Promise<Float32Array> {
  const { data } = await answers(model, { input_ids: rows, attention_mask: rows.map((row) => row.map(() => 1)) });
  return data;
}

const TEXT = [17, 5, 30, 9, 22, 6, 38, 12, 25, 8, 33];

describe.each(decoders.map((each) => [each.name, each] as const))('%s', (_, one) => {
  test('answers as the whole graph, with the same bits wherever a text is cut', async () => {
    const graphs = await drawn(one);
    if (graphs.open === undefined) return;
    const session = await graphs.open();
    onTestFinished(() => session.release());
    const expected = await whole(graphs, [TEXT]);
    const size = Math.max(1, ...expected.map(Math.abs));
    const first = await asked(session, [TEXT], undefined, 0);
    expect(distance(first, expected)).toBeLessThanOrEqual(1e-5 * size);
    for (const cut of [2, 3, 6, 9]) expect(await asked(session, [TEXT], undefined, cut)).toEqual(first);
    const prompt = Int32Array.from(TEXT.slice(0, 5));
    const behind = await asked(session, [TEXT], prompt, 0);
    expect(distance(behind, expected)).toBeLessThanOrEqual(1e-5 * size);
    for (const cut of [7, 8, 9]) expect(await asked(session, [TEXT], prompt, cut)).toEqual(behind);
  });
});

test('angles that depend on the length, and tokens that see later ones, are computed whole', async () => {
  const without: string[] = [];
  for (const one of decoders) if ((await drawn(one)).open === undefined) without.push(one.name);
  expect(without).toMatchInlineSnapshot(`
    [
      "llama dynamic within",
      "llama dynamic beyond",
      "llama longrope beyond",
      "gemma3 both ways",
      "phi3 longrope within",
      "phi3 longrope beyond",
    ]
  `);
});

const named = (name: string): Configuration => decoders.find((each) => each.name === name)!;

/** One edit after the other, from one text on: a token changed, left out, added or moved. */
const edits = fc.array(
  fc.record({
    kind: fc.constantFrom('change', 'leave', 'add'),
    at: fc.nat(30),
    token: fc.integer({ min: 4, max: 39 }),
    again: fc.boolean(),
  }),
  { minLength: 3, maxLength: 12 },
);

type Edits = typeof edits extends fc.Arbitrary<infer T> ? T : never;

function edited(start: readonly number[], steps: Edits): number[][] {
  const texts = [[...start]];
  let best = [...start];
  for (const { kind, at, token, again } of steps) {
    const text = [...best];
    const place = at % (text.length + (kind === 'add' ? 1 : 0));
    if (kind === 'leave' && text.length > 1) text.splice(place, 1);
    else if (kind === 'add') text.splice(place, 0, token);
    else text[place] = token;
    texts.push(text);
    if (again) best = text;
  }
  return texts;
}

test('classifiers with a padding token take texts of unequal lengths, guards do not', async () => {
  const fillers: unknown[] = [];
  for (const name of ['llama grouped', 'mistral window', 'llama causal tied']) {
    const session = await (await drawn(named(name))).open!();
    fillers.push(session.filler);
    await session.release();
  }
  expect(fillers).toEqual([
    named('llama grouped').config.pad_token_id,
    named('mistral window').config.pad_token_id,
    undefined,
  ]);
  expect(fillers[0]).toBeDefined();
});

test.each(['llama grouped', 'mistral window', 'llama causal tied'])(
  '%s: random edits get the same bits alone, in batches, and after other texts',
  async (name) => {
    const graphs = await drawn(named(name));
    const [session, other] = [await graphs.open!(), await graphs.open!()];
    const prompt = Int32Array.from([17, 5, 30]);
    onTestFinished(async () => void (await Promise.all([session.release(), other.release()])));
    await fc.assert(
      fc.asyncProperty(edits, fc.boolean(), async (steps, prompted) => {
        const texts = edited(TEXT, steps);
        const given = prompted ? prompt : undefined;
        const alone: Float32Array[] = [];
        for (const text of texts) alone.push(await asked(session, [text], given, 0));
        const { filler } = other;
        const longest = Math.max(...texts.map((text) => text.length));
        const rows = texts.map((text) => [...text, ...Array<number>(longest - text.length).fill(filler ?? 0)]);
        // Texts of all lengths together, where they can be filled up.
        const lengths = filler === undefined ? [...new Set(texts.map((text) => text.length))] : [undefined];
        for (const length of lengths) {
          const ats = [...texts.keys()].filter((at) => length === undefined || texts[at]!.length === length);
          const together = await asked(
            other,
            ats.map((at) => (length === undefined ? rows[at]! : texts[at]!)),
            given,
          );
          const width = together.length / ats.length;
          for (const [row, at] of ats.entries()) {
            expect(together.slice(row * width, (row + 1) * width)).toEqual(alone[at]);
          }
        }
        for (const at of texts.keys()) expect(await asked(other, [texts[at]!], given)).toEqual(alone[at]);
      }),
      { numRuns: tries(12), seed: 42 },
    );
  },
);

test('short texts, texts without the prompt, and padding at either end', async () => {
  const graphs = await drawn(named('llama grouped'));
  const session = await graphs.open!();
  const padding = 3;
  const prompt = Int32Array.from(TEXT.slice(0, 5));
  onTestFinished(() => session.release());
  for (const text of [
    [17],
    [17, 5],
    TEXT.slice(0, 5),
    TEXT.slice(0, 6),
    [9, ...TEXT],
    [...TEXT, padding, padding, padding],
    [...TEXT.slice(0, 5), padding, padding, padding],
    [padding, padding, ...TEXT],
    [padding, padding, padding, padding],
  ]) {
    for (const given of [undefined, prompt]) {
      const [first, second] = [await asked(session, [text], given), await asked(session, [text], given)];
      expect(distance(first, await whole(graphs, [text]))).toBeLessThanOrEqual(1e-5);
      expect(second).toEqual(first);
    }
  }
});

test('keys and values stay within their room, and the text used longest ago goes first', () => {
  const kept = new Beginnings(1000);
  const text = (first: number, tokens = 50) => ({
    ids: Int32Array.from({ length: tokens }, (_, at) => first + at),
    from: 0,
    parts: [new Float32Array(2 * tokens)],
  });
  const [a, b, c] = [text(0), text(100), text(200)];
  kept.keep(a);
  kept.keep(b);
  expect(kept.longest(a.ids, 0)).toEqual({ base: a, shared: 50 });
  kept.keep(c);
  expect(kept.bytes).toBe(800);
  expect(kept.longest(a.ids, 0).shared).toBe(50);
  expect(kept.longest(b.ids, 0)).toEqual({ base: undefined, shared: 0 });
  kept.keep(text(300, 1000));
  expect(kept.bytes).toBe(800);
  // Behind another prompt keys and values are others.
  expect(kept.longest(a.ids, 5)).toEqual({ base: undefined, shared: 5 });
});

const shared = fileURLToPath(new URL('../../../shared/goldens/transformers-2/', import.meta.url));
const FOLDERS = [
  ...['llama', 'qwen2', 'qwen3', 'mistral', 'gemma', 'gemma2', 'gemma3-text', 'phi3'],
  ...['gpt-neox', 'opt', 'bloom'],
];

test.skipIf(!existsSync(shared)).each(FOLDERS)(
  'a checkpoint of %s, as loaded (skipped without ../shared)',
  async (name) => {
    const golden = JSON.parse(readFileSync(join(shared, name, 'golden.json'), 'utf8')) as {
      /** A text, or a pair of them. */
      readonly texts: unknown;
      readonly logits: readonly number[];
    }[];
    const cases = golden.filter(({ texts }) => typeof texts === 'string');
    const home = temporary();
    const options = { workers: 1, logits: true, hub: { cache: join(home, 'hub') } };
    const warnings: string[] = [];
    const model = await loadModel(join(shared, name), { ...options, onWarning: (line) => warnings.push(line) });
    const plain = await loadModel(join(shared, name), { ...options, reuse: false });
    onTestFinished(async () => void (await Promise.all([model.close(), plain.close()])));
    const texts = cases.map(({ texts }) => texts as string);
    const [rows, others] = [await model.logits!(texts), await plain.logits!(texts)];
    for (const [at, { logits }] of cases.entries()) {
      expect(distance(rows[at]!, logits)).toBeLessThanOrEqual(1e-5);
      expect(distance(rows[at]!, others[at]!)).toBeLessThanOrEqual(1e-5);
    }
    expect(warnings).toEqual([]);
    // The graph that answers is part of what is hashed.
    expect(model.sha256).not.toBe(plain.sha256);
  },
);
