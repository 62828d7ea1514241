import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Dataset, Example } from '../../src/core/dataset.js';
import { RobustError } from '../../src/core/errors.js';
import { loadCheckpoint, saveCheckpoint } from '../../src/train/checkpoint.js';
import { ExampleStore } from '../../src/train/example-store.js';
import { refusal } from '../refusal.js';

const folder = mkdtempSync(join(tmpdir(), 'robust-train-'));
let files = 0;
const fresh = () => join(folder, `file-${files++}`);

function dataset(examples: readonly Omit<Example, 'id'>[]): Dataset {
  return {
    name: 'toy',
    labels: ['no', 'yes'],
    source: { url: '', license: '', sha256: '' },
    async *examples() {
      for (const [at, example] of examples.entries()) yield { id: String(at), ...example };
    },
  };
}
const letters = {
  maximum: 5,
  encode: (text: string) => ({ ids: Int32Array.from(text, (c) => c.charCodeAt(0)), truncated: text.length > 5 }),
};

describe('ExampleStore', () => {
  test('gives back the tokens, labels and lengths of every example, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ text: fc.string(), label: fc.nat(1) }), { minLength: 1, maxLength: 50 }),
        async (examples) => {
          const store = await ExampleStore.create(dataset(examples), 2, letters);
          for (const at of [...examples.keys()].reverse()) {
            expect(store.tokens(at)).toEqual(letters.encode(examples[at].text).ids);
            expect(store.labels[at]).toBe(examples[at].label);
            expect(store.lengths[at]).toBe(store.tokens(at).length);
          }
          expect(store.classes[1]).toBe(examples.filter(({ label }) => label === 1).length);
          expect(store.truncated).toBe(examples.filter(({ text }) => text.length > 5).length);
        },
      ),
      { numRuns: 20 },
    );
  });

  test('its hash names tokens and labels', async () => {
    const hash = async (text: string, label: number) => {
      const store = await ExampleStore.create(dataset([{ text, label }]), 2, letters);
      return store.sha256;
    };
    expect(await hash('ab', 0)).toBe(await hash('ab', 0));
    expect(await hash('ab', 1)).not.toBe(await hash('ab', 0));
    expect(await hash('ac', 0)).not.toBe(await hash('ab', 0));
  });

  test.each([2, -1, 0.5, Number.NaN])('refuses label %d, naming the example', async (label) => {
    const examples = [
      { text: 'a', label: 0 },
      { text: 'b', label },
    ];
    await refusal(ExampleStore.create(dataset(examples), 2, letters));
  });

  test('refuses an empty data set', async () => {
    await refusal(ExampleStore.create(dataset([]), 2, letters));
  });
});

describe('a checkpoint', () => {
  const learner = () => {
    const values = Float32Array.of(1, 2, 3);
    const parameters = [{ name: 'w', dims: [3], values, decayed: true }] as never;
    const first = Float32Array.of(4, 5, 6);
    const optimiser = { steps: 7, state: new Map([['first/w', first]]), restore: () => {} } as never;
    return { parameters, optimiser } as Parameters<typeof saveCheckpoint>[2];
  };
  const progress = { step: 7, firstLoss: 0.7, lossSum: 0.5, lossCount: 2, sinceBest: 0, points: [] };
  const saved = () => {
    const path = fresh();
    saveCheckpoint(path, 'print', learner(), progress);
    return path;
  };

  test('gives back where a training stood', async () => {
    expect(await loadCheckpoint(saved(), 'print', learner())).toEqual(progress);
  });

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['cut short', (bytes) => bytes.subarray(0, bytes.length - 4)],
    ['with more behind it', (bytes) => Buffer.concat([bytes, Buffer.alloc(4)])],
    ['without a header', (bytes) => bytes.subarray(0, 3)],
    ['a header length beyond the file', (bytes) => Buffer.concat([Buffer.alloc(4, 0x7f), bytes.subarray(4)])],
    ['a header that is no JSON', (bytes) => Buffer.from(bytes.toString('latin1').replace('{', '['), 'latin1')],
  ])('a file %s gives an error, not a crash', async (_, damage) => {
    const path = saved();
    writeFileSync(path, damage(readFileSync(path)));
    await refusal(loadCheckpoint(path, 'print', learner()));
  });

  test('any one byte of which was changed is refused, or says the same', async () => {
    const path = saved();
    const bytes = readFileSync(path);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] as number) ^ by;
        writeFileSync(path, damaged);
        const ended = await loadCheckpoint(path, 'print', learner()).catch((error) => error);
        // White space between the parts of the header may be another.
        if (ended instanceof Error) expect(ended).toBeInstanceOf(RobustError);
        else expect(ended).toEqual(progress);
      }),
      { numRuns: 300 },
    );
  });
});
