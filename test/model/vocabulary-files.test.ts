/** Tokenizers without a tokenizer.json, character maps and bytes: against the goldens' tokenizers and the native library. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Message } from '../../packages/onnx/src/graph/wire.js';
import { ModelError } from '../../src/core/errors.js';
import { charsmap } from '../../src/model/tokens/charsmap.js';
import { mergesOf } from '../../src/model/tokens/formats/merges.js';
import { readTokenizer } from '../../src/model/tokens/formats/read-tokenizer.js';
import { tokenizerEncoder } from '../../src/model/tokens/tokenizer.js';
import { tries } from '../cover.js';
import { refusal, thrown } from '../refusal.js';
import { type Golden, goldens } from './goldens.js';
import { unigram } from './tokenizers.js';

interface Trained {
  /** A tokenizer.model, base64. */
  readonly model: string;
  readonly cases: readonly (readonly [text: string, ids: readonly number[]])[];
}
const readJson = (name: string): Trained => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));

const root = mkdtempSync(join(tmpdir(), 'robust-vocabulary-'));

type Pieces = readonly (readonly [text: string, score: number, type: number])[];

/** A spiece.model. */
function sentencePiece(pieces: Pieces, { kind = 1, unknownId = 0, bytes = false, map = '' } = {}): Uint8Array {
  const file = new Message();
  for (const [text, score, type] of pieces) {
    file.message(1, new Message().string(1, text).float(2, score).int(3, type));
  }
  file.message(2, new Message().int(3, kind).int(35, Number(bytes)).int(40, unknownId));
  return file.message(3, new Message().bytes(2, Buffer.from(map, 'base64'))).build();
}

/** A precompiled map of some replacements: every node of the trie gets a block of its own, which takes room and needs no search. */
function precompiled(replacements: Readonly<Record<string, string>>): string {
  interface TrieNode {
    readonly next: Map<number, TrieNode>;
    value?: number;
  }
  const trie: TrieNode = { next: new Map() };
  let written = '';
  for (const [from, to] of Object.entries(replacements)) {
    let node = trie;
    for (const byte of Buffer.from(from)) {
      if (!node.next.has(byte)) node.next.set(byte, { next: new Map() });
      node = node.next.get(byte)!;
    }
    node.value = Buffer.byteLength(written);
    written += `${to}\0`;
  }
  const units: number[] = [];
  const place = (node: TrieNode, at: number, label: number) => {
    // The block of a node's children begins where its position and its offset meet.
    const block = Math.ceil(Math.max(units.length, 256) / 256) * 256;
    for (let i = 0; i < 256; i++) units[block + i] = 0;
    units[at] = ((at ^ block) << 10) | (node.value === undefined ? 0 : 1 << 8) | label;
    if (node.value !== undefined) units[block] = (node.value | 0x8000_0000) >>> 0;
    for (const [byte, child] of node.next) place(child, block ^ byte, byte);
  };
  place(trie, 0, 0);
  const filled = Uint32Array.from({ length: units.length }, (_, at) => units[at] ?? 0);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(filled.byteLength);
  return Buffer.concat([size, Buffer.from(filled.buffer), Buffer.from(written)]).toString('base64');
}

const definitionOf = (golden: Golden) =>
  JSON.parse(readFileSync(join(golden.folder, 'tokenizer.json'), 'utf8')) as {
    readonly model: {
      readonly vocab: Record<string, number> | [string, number][];
      readonly merges?: string[];
      readonly unk_id?: number;
    };
    readonly added_tokens: readonly { readonly content: string; readonly id: number }[];
  };

/** The golden's tokenizer as the files of old. */
function oldFiles(golden: Golden): Record<string, string | Uint8Array> {
  const { model, added_tokens } = definitionOf(golden);
  if (model.merges) {
    const merges = model.merges.map((rule: string | string[]) => (typeof rule === 'string' ? rule : rule.join(' ')));
    return { 'vocab.json': JSON.stringify(model.vocab), 'merges.txt': `#version: 0.2\n${merges.join('\n')}\n` };
  }
  if (!Array.isArray(model.vocab)) {
    const tokens = Object.entries(model.vocab).sort(([, a], [, b]) => a - b);
    return { 'vocab.txt': `${tokens.map(([token]) => token).join('\n')}\n` };
  }
  const special = new Set(added_tokens.map(({ content }) => content));
  const pieces = model.vocab.map(([text, score], id): [string, number, number] => [
    text,
    score,
    id === model.unk_id ? 2 : special.has(text) ? 3 : 1,
  ]);
  if (golden.name !== 'xlm-roberta') return { 'spiece.model': sentencePiece(pieces, { unknownId: model.unk_id! }) };
  // Its file has neither padding nor mask, and three tokens of its own first.
  const own = pieces.slice(4).filter(([text]) => text !== '<mask>');
  return { 'sentencepiece.bpe.model': sentencePiece([['<unk>', 0, 2], ['<s>', 0, 3], ['</s>', 0, 3], ...own]) };
}

const families =
  'bert distilbert electra mobilebert squeezebert mpnet roberta bart gpt2 xlm-roberta albert xlnet deberta-v2'.split(
    ' ',
  );

describe.skipIf(goldens.length === 0)('goldens of transformers (absent: ../shared/goldens/transformers)', () => {
  test.each(families)('%s from its vocabulary files', async (name) => {
    const golden = goldens.find((each) => each.name === name)!;
    const folder = mkdtempSync(join(root, 'f-'));
    const copied = ['config.json', 'tokenizer_config.json'].map(
      (file) => [file, readFileSync(join(golden.folder, file))] as const,
    );
    for (const [file, content] of [...Object.entries(oldFiles(golden)), ...copied])
      writeFileSync(join(folder, file), content);
    const limits = { maximum: 96, padId: 0, length: undefined };
    const [ours, theirs] = [await tokenizerEncoder(folder, limits), await tokenizerEncoder(golden.folder, limits)];
    const texts = golden.cases
      .flatMap((each) => each.texts)
      .map((entry) => (typeof entry === 'string' ? [entry] : entry));
    for (const [text, second] of [...texts, ['and a mask: <mask> [MASK]'], ['']] as [string, string?][]) {
      expect(ours.encode(text, second), text).toEqual(theirs.encode(text, second));
      expect(ours.tokens(text, second).map(({ id }) => id)).toEqual([...ours.encode(text, second).ids]);
    }
  });
});

const MAP = {
  ﬁ: 'fi',
  '①': '1',
  '\u3000': ' ',
  '\t': ' ',
  Ａ: 'A',
  '\u200b': '',
  'e\u0301': 'é',
  '½': '1⁄2',
  한: '한',
  '㍿': '株式会社',
};

/** A unigram tokenizer with a character map, and bytes for what it lacks. */
function mapped(): Record<string, unknown> {
  const base = unigram() as { model: { vocab: [string, number][] } };
  const bytes = Array.from({ length: 256 }, (_, byte): [string, number] => [
    `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
    0,
  ]);
  return {
    ...base,
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'Precompiled', precompiled_charsmap: precompiled(MAP) },
        { type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' },
      ],
    },
    model: { ...base.model, vocab: [...base.model.vocab, ...bytes], byte_fallback: true },
  };
}

const part = fc.oneof(
  fc.constantFrom(...Object.keys(MAP), 'good film', ' ', 'e', '\u0301', 'x', '中文', '👍', '👩‍👩‍👧', '각', '<0x41>'),
  fc.string({ unit: 'grapheme', maxLength: 5 }),
);
const text = fc.array(part, { maxLength: 10 }).map((parts) => parts.join(''));

test('a character map and bytes give the ids of the native tokenizer, and spans in order within the text', async (context) => {
  const native = await import('tokenizers').catch(() => undefined);
  if (native === undefined) return context.skip('the native tokenizers package does not load here');
  const folder = mkdtempSync(join(root, 'f-'));
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(mapped()));
  const encoder = await tokenizerEncoder(folder, { maximum: 512, padId: 1, length: undefined });
  const oracle = native.Tokenizer.fromFile(join(folder, 'tokenizer.json'));
  await fc.assert(
    fc.asyncProperty(text, async (given) => {
      const tokens = encoder.tokens(given);
      expect(tokens.map(({ id }) => id)).toEqual((await oracle.encode(given)).getIds());
      expect([...encoder.encode(given).ids]).toEqual(tokens.map(({ id }) => id));
      let last = 0;
      for (const { start, end } of tokens) {
        expect(start).toBeGreaterThanOrEqual(last);
        expect(end).toBeGreaterThanOrEqual(start);
        expect(end).toBeLessThanOrEqual(given.length);
        last = start;
      }
    }),
    { numRuns: tries(400) },
  );
});

test('a byte stands for the character it is a part of', async () => {
  const folder = mkdtempSync(join(root, 'f-'));
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(mapped()));
  const encoder = await tokenizerEncoder(folder, { maximum: 64, padId: 1, length: undefined });
  const given = 'good ⛄x';
  const bytes = encoder.tokens(given).filter(({ special, start, end }) => !special && given.slice(start, end) === '⛄');
  expect(bytes).toHaveLength(3);
});

test('a damaged map is refused', async () => {
  const good = precompiled(MAP);
  expect(charsmap(good)('ﬁ ①')).toBe('fi 1');
  for (const bad of ['', 'AAAA', good.slice(0, 400)]) await thrown(() => charsmap(bad));
});

describe('SentencePiece', () => {
  const { model, cases } = readJson('sentencepiece-bpe.json');
  const bpe = Buffer.from(model, 'base64');
  const t5 = sentencePiece(
    [
      ['<pad>', 0, 3],
      ['</s>', 0, 3],
      ['<unk>', 0, 2],
      ['\u2581good', -1, 1],
      ['\u2581', -2, 1],
      ['good', -3, 1],
      ['!', -4, 1],
    ],
    { unknownId: 2 },
  );
  const open = async (files: Record<string, string | Uint8Array>) => {
    const folder = mkdtempSync(join(root, 'f-'));
    for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content);
    return { folder, encoder: await tokenizerEncoder(folder, { maximum: 512, padId: 0, length: undefined }) };
  };
  const config = (family: string) => ({ 'config.json': JSON.stringify({ model_type: family }) });

  test.each(['llama', 'mistral'])('BPE of %s gives the ids of SentencePiece itself, behind <s>', async (family) => {
    const { encoder } = await open({ ...config(family), 'tokenizer.model': bpe });
    for (const [text, ids] of cases) expect([...encoder.encode(text).ids], JSON.stringify(text)).toEqual([1, ...ids]);
  });

  const kinds: [string, Record<string, string | Uint8Array>][] = [
    ['llama', { ...config('llama'), 'tokenizer.model': bpe }],
    ['llama, not legacy', { ...config('llama'), 'tokenizer.model': bpe, 'tokenizer_config.json': '{"legacy": false}' }],
    [
      'llama, </s> behind',
      { ...config('llama'), 'tokenizer.model': bpe, 'tokenizer_config.json': '{"add_eos_token": true}' },
    ],
    ['xlm-roberta, BPE', { ...config('xlm-roberta'), 'sentencepiece.bpe.model': bpe }],
    ['deberta-v2, BPE', { ...config('deberta-v2'), 'spm.model': bpe }],
    ['t5', { ...config('t5'), 'spiece.model': t5 }],
  ];
  test.each(kinds)('%s: the ids of the native tokenizer', async (_, files) => {
    const native = await import('tokenizers');
    const { folder, encoder } = await open(files);
    writeFileSync(join(folder, 'made.json'), JSON.stringify((await readTokenizer(folder)).definition));
    const oracle = native.Tokenizer.fromFile(join(folder, 'made.json'));
    for (const [text] of [...cases, ['good good! <extra_id_7> x'], ['</s>good']] as [string][]) {
      expect([...encoder.encode(text).ids], text).toEqual((await oracle.encode(text)).getIds());
    }
  });

  test('T5 ends a text in </s> and has its extra tokens behind the pieces, the last one first', async () => {
    const { encoder } = await open({ ...config('t5'), 'spiece.model': t5 });
    expect([...encoder.encode('good!').ids]).toEqual([3, 6, 1]);
    expect([...encoder.encode('good', 'good').ids]).toEqual([3, 1, 3, 1]);
    expect([...encoder.encode('<extra_id_99><extra_id_0>').ids]).toEqual([7, 106, 1]);
  });

  test('a pair of Llama has a <s> before each text', async () => {
    const { encoder } = await open({ ...config('llama'), 'tokenizer.model': bpe });
    const [first] = encoder.encode('good').ids;
    const one = [...encoder.encode('good').ids];
    expect([...encoder.encode('good', 'good').ids]).toEqual([...one, ...one]);
    expect(first).toBe(1);
  });

  test('merges go by the score of the whole, then the longer left part, then the longer right one', () => {
    const pieces = ['a', 'b', 'c', 'ab', 'bc', 'abc', 'cab', '👍', 'a👍'].map((piece, at): [string, number] => [
      piece,
      { ab: 0, bc: 0, abc: -1, cab: -1, 'a👍': -2 }[piece] ?? -10 - at,
    ]);
    expect(mergesOf(pieces)).toEqual([
      ['a', 'b'],
      ['b', 'c'],
      ['ab', 'c'],
      ['a', 'bc'],
      ['c', 'ab'],
      ['a', '👍'],
    ]);
  });
});

describe('refused', () => {
  const read = async (files: Record<string, string | Uint8Array>) => {
    const folder = mkdtempSync(join(root, 'f-'));
    for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content);
    return readTokenizer(folder);
  };

  test.each([
    ['no tokenizer', {}],
    [
      'a family whose vocab.txt is read otherwise',
      { 'vocab.txt': 'a\nb\n', 'config.json': '{"model_type": "bertweet"}' },
    ],
    [
      'words of SentencePiece',
      { 'spiece.model': sentencePiece([['<unk>', 0, 2]], { kind: 3 }), 'config.json': '{"model_type": "albert"}' },
    ],
    [
      'a piece that no training makes',
      {
        'tokenizer.model': sentencePiece(
          [
            ['<unk>', 0, 2],
            ['a'.repeat(5000), 0, 1],
          ],
          { kind: 2 },
        ),
        'config.json': '{"model_type": "llama"}',
      },
    ],
    [
      'a family that adds languages',
      { 'sentencepiece.bpe.model': sentencePiece([['<unk>', 0, 2]]), 'config.json': '{"model_type": "mbart"}' },
    ],
    [
      'more extra tokens than there are',
      {
        'spiece.model': sentencePiece([['<unk>', 0, 2]]),
        'config.json': '{"model_type": "t5"}',
        'tokenizer_config.json': '{"extra_ids": 1000000000}',
      },
    ],
    ['a file that is none', { 'spiece.model': Uint8Array.of(10, 200, 1), 'config.json': '{"model_type": "albert"}' }],
  ])('%s', async (_, files) => {
    await refusal(read(files as Record<string, string>));
  });

  test('whatever the bytes of a SentencePiece model, it is read or refused', async () => {
    const good = sentencePiece(
      [
        ['<unk>', 0, 2],
        ['[CLS]', 0, 3],
        ['[SEP]', 0, 3],
        ['\u2581a', -1, 1],
      ],
      { map: precompiled(MAP) },
    );
    const folder = mkdtempSync(join(root, 'f-'));
    writeFileSync(join(folder, 'config.json'), '{"model_type": "albert"}');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        fc.nat(good.length),
        async (edits, length) => {
          const bytes = Uint8Array.from(good);
          for (const [at, value] of edits) bytes[at] = value;
          writeFileSync(join(folder, 'spiece.model'), length % 3 === 0 ? bytes.subarray(0, length) : bytes);
          const encoder = await tokenizerEncoder(folder, { maximum: 16, padId: 0, length: undefined }).catch(
            (error) => error,
          );
          if (!(encoder instanceof ModelError)) expect(encoder.encode('a').ids.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: tries(300) },
    );
  });
});
