/** Models with a certificate: what is trained, what their files prove, and what a forged file does not. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { GraphBuilder } from '../../packages/onnx/src/graph/builder.js';
import { loadModel as readFile } from '../../packages/onnx/src/graph/load.js';
import type { Model } from '../../packages/onnx/src/graph/model.js';
import { Tensor } from '../../packages/onnx/src/graph/tensor.js';
import { writeModel } from '../../packages/onnx/src/graph/write.js';
import type { WindowVotes } from '../../src/core/certificate.js';
import type { Dataset } from '../../src/core/dataset.js';
import { random } from '../../src/core/random.js';
import { applyEdits } from '../../src/core/text-edit.js';
import { english } from '../../src/language/english/index.js';
import { type LoadedModel, loadModel } from '../../src/model/load.js';
import { logitScale } from '../../src/train/architectures/char-cnn.js';
import { type FreshStart, trainModel } from '../../src/train/index.js';
import { windowVotes } from '../../src/train/window-votes.js';
import { roundingOf, withstands } from '../../src/verify/bounds.js';
import { withstandsReplacements } from '../../src/verify/replacement-bounds.js';
import { placesOf } from '../../src/verify/spaces.js';
import { folder, OPTIONS } from './toy.js';

const WINDOW = 3;

function reviews(count: number, stream: string): Dataset {
  return {
    name: 'toy reviews',
    labels: ['bad', 'good'],
    source: { url: '', license: '', sha256: '' },
    async *examples() {
      const draw = random(1, stream);
      for (let row = 0; row < count; row++) {
        const label = draw.int(2);
        const words = label === 0 ? ['dull', 'dreary', 'dud'] : ['fun', 'funny', 'fine'];
        const text = Array.from({ length: 4 + draw.int(4) }, () => draw.pick([...words, 'a'])).join(' ');
        yield { id: String(row), text, label };
      }
    },
  };
}

const start: FreshStart = {
  kind: 'fresh',
  architecture: 'char-cnn',
  size: { vocabulary: 60, maxTokens: 64, dim: 16, layers: 1, heads: 1, feedForward: 1, window: WINDOW },
  half: false,
};

async function trained(architecture: 'char-cnn' | 'word-votes' = 'char-cnn'): Promise<string> {
  const output = folder();
  await trainModel({
    start: { ...start, architecture },
    train: reviews(96, 'train'),
    validation: reviews(40, 'validation'),
    options: { ...OPTIONS, epochs: 10, rate: 1e-2 },
    threads: 1,
    output,
    folder: join(output, 'training'),
    resume: false,
  });
  return output;
}

const opened = async (path: string) => {
  const model = await loadModel(path, { workers: 1 });
  return { model, votes: model.onnx && (await windowVotes(model.onnx, model.maximumTokens)) };
};

const textsOf = async (count: number) => {
  const all: { text: string; label: number }[] = [];
  for await (const { text, label } of reviews(count, 'test').examples()) all.push({ text, label: label as number });
  return all;
};

const ALPHABET = [...'abcdefghijklmnopqrstuvwxyz '];

const singleEdits = (text: string): string[] =>
  [...placesOf(['characters'], text, { language: english, alphabet: ALPHABET, repeats: false })].flatMap((place) =>
    [...place.edits()].map((edit) => applyEdits(text, [edit])),
  );

describe('a certified model', () => {
  let path = '';
  let model: LoadedModel;
  let votes: WindowVotes;

  beforeAll(async () => {
    path = await trained();
    const { model: loaded, votes: found } = await opened(path);
    [model, votes] = [loaded, found as WindowVotes];
    return () => loaded.close();
  });

  test('has votes that sum to its answers', async () => {
    for (const { text } of await textsOf(20)) {
      const { values } = votes.votes(votes.tokens(text));
      const [row] = (await model.classify([text])) as [Float32Array];
      const sums = [0, 1].map((label) => values.reduce((sum, vote, at) => (at % 2 === label ? sum + vote : sum), 0));
      const difference = ((sums[1] as number) - (sums[0] as number)) * logitScale(WINDOW);
      expect(row[1]).toBeCloseTo(1 / (1 + Math.exp(-difference)), 4);
    }
  });

  test('answers within the rounding errors that its votes state', async () => {
    for (const { text } of await textsOf(20)) {
      const { values, errors } = votes.votes(votes.tokens(text));
      const [[negative = 0, positive = 0] = []] = (await model.classify([text])) as [Float32Array];
      const lead = values.reduce((sum, vote, at) => sum + (at % 2 === 1 ? vote : -vote), 0);
      const allowance = errors.reduce((sum, error) => sum + error, roundingOf(errors.length));
      expect(Math.abs(Math.log(positive / negative) / logitScale(WINDOW) - lead)).toBeLessThan(allowance);
      expect(Math.max(...errors)).toBeLessThan(1e-3);
    }
  });

  test('keeps its prediction under every edit of fifty proved texts, by brute force', async () => {
    let proved = 0;
    for (const { text, label } of await textsOf(120)) {
      if (proved === 50) break;
      if (!withstands(text, label, { edits: 1, alphabet: ALPHABET }, votes)) continue;
      proved++;
      const rows = await model.classify(singleEdits(text));
      expect(rows.every((row) => (row[label] as number) > 0.5)).toBe(true);
    }
    expect(proved).toBe(50);
  });

  describe('proves nothing once its files differ from what the training writes', () => {
    const forged = async (forge: (folder: string) => void | Promise<void>): Promise<WindowVotes | undefined> => {
      const copy = folder();
      cpSync(path, copy, { recursive: true });
      await forge(copy);
      const { model: loaded, votes: found } = await opened(copy);
      await loaded.close();
      return found;
    };
    const rewritten = (change: (read: Model) => Model) => async (copy: string) => {
      const file = join(copy, 'model.onnx');
      writeFileSync(file, writeModel(change(await readFile(file))));
    };
    const editJson = (name: string, change: (text: string) => string) => (copy: string) =>
      writeFileSync(join(copy, name), change(readFileSync(join(copy, name), 'utf8')));

    test('an unchanged copy does prove', async () => {
      expect(await forged(() => {})).toBeDefined();
    });

    test('a graph with another node', async () => {
      const change = (read: Model): Model => {
        const g = new GraphBuilder({ base: { ...read, graph: { ...read.graph, outputs: [] } } });
        g.output(g.ops('Mul', ['logits', g.float(-1)], ['negated'])[0] as string);
        return g.model();
      };
      expect(await forged(rewritten(change))).toBeUndefined();
    });

    test('a constant of another value: the scale of the logits', async () => {
      const change = (read: Model): Model => {
        const initializers = new Map(read.graph.initializers);
        const [name] = [...initializers].find(
          ([, { dims, data }]) => dims.length === 0 && Math.abs(Number(data[0]) - logitScale(WINDOW)) < 1e-6,
        ) as [string, Tensor];
        initializers.set(name, Tensor.of(name, [], Float32Array.of(-logitScale(WINDOW))));
        return { ...read, graph: { ...read.graph, initializers } };
      };
      expect(await forged(rewritten(change))).toBeUndefined();
    });

    test('weights whose answers single precision decides: large numbers that cancel', async () => {
      const change = (read: Model): Model => {
        const initializers = new Map(read.graph.initializers);
        const edit = (name: string, by: (data: Float32Array) => void): void => {
          const { dims, data } = initializers.get(name) as Tensor;
          const changed = Float32Array.from(data as Float32Array);
          by(changed);
          initializers.set(name, Tensor.of(name, dims, changed));
        };
        // The first filter always answers 1e8 and adds the same to the scores of both labels.
        edit('window.bias', (data) => data.fill(1e8, 0, 1));
        edit('classifier.weight', (data) => data.fill(1, 0, 2));
        return { ...read, graph: { ...read.graph, initializers } };
      };
      const found = (await forged(rewritten(change))) as WindowVotes;
      for (const { text, label } of await textsOf(20))
        expect(withstands(text, label, { edits: 1, alphabet: ALPHABET }, found)).toBe(false);
    });

    test('a tokenizer with a number far beyond its vocabulary', async () => {
      const change = (text: string) => text.replace(/"\[MASK\]": \d+/, '"[MASK]": 4294967290');
      const reject = (error: Error) => expect(error.message).toMatch(/4294967290|vocab/);
      expect(await forged(editJson('tokenizer.json', change)).catch(reject)).toBeUndefined();
    });

    test('a tokenizer that reads an inserted letter as something else', async () => {
      const change = (text: string) => text.replace('"Lowercase"', '"NFKC"');
      expect(await forged(editJson('tokenizer.json', change))).toBeUndefined();
    });

    test('a config.json of other sizes changes nothing: sizes are those of the weights', async () => {
      const change = (text: string) => text.replace(/"window": \d+/, '"window": 1');
      const found = await forged(editJson('config.json', change));
      expect(found?.votes(found.tokens('fun')).half).toBe(1);
    });
  });
});

describe('a certified model of words', () => {
  const OTHERS: Readonly<Record<string, readonly string[]>> = {
    dull: ['dreary', 'grey'],
    fun: ['funny', 'fine', 'a joy'],
    fine: ['fun'],
    dud: ['flop'],
  };
  const placesIn = (text: string) =>
    Array.from(text.matchAll(/[a-z]+/g), ({ 0: word, index: start }) => ({
      start,
      end: start + word.length,
      edits: () => (OTHERS[word] ?? []).map((other) => ({ start, end: start + word.length, text: other })),
    }));
  const allTexts = (text: string): string[] =>
    text
      .split(' ')
      .reduce<string[]>(
        (texts, word) => texts.flatMap((begun) => [word, ...(OTHERS[word] ?? [])].map((each) => `${begun} ${each}`)),
        [''],
      )
      .map((each) => each.trim());

  test('keeps its prediction under every combination of replacements of proved texts, and proves nothing about characters', async () => {
    const { model, votes } = await opened(await trained('word-votes'));
    expect(votes?.reads).toBe('words');
    let [proved, texts] = [0, 0];
    for (const { text, label } of await textsOf(60)) {
      expect(withstands(text, label, { edits: 1, alphabet: ALPHABET }, votes as WindowVotes)).toBe(false);
      const rows = await model.classify(allTexts(text));
      const robust = rows.every((row) => (row[label] as number) > 0.5);
      const holds = withstandsReplacements(text, label, { places: placesIn(text), edits: 0 }, votes as WindowVotes);
      if (holds) proved++;
      texts += rows.length;
      expect(holds).toBe(robust);
    }
    expect(proved).toBeGreaterThan(20);
    expect(texts).toBeGreaterThan(1000);
    await model.close();
  });

  test('has logits, which its folder says: those of a short text could be taken for probabilities', async () => {
    const { model } = await opened(await trained('word-votes'));
    expect(model.output?.activation).toBe('softmax');
    const [row] = (await model.classify(['fun'])) as [Float32Array];
    expect(row.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 5);
    await model.close();
  });
});
