/** Tokenizers with steps and options that few have, and configurations that contradict them: ids as the reference gives them. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.js';
import { PAIR_SEPARATOR } from '../../src/core/pair.js';
import { loadModel } from '../../src/model/load.js';
import { asItsClass, givesTypes } from '../../src/model/tokens/formats/tokenizer-class.js';
import { tokenizerEncoder } from '../../src/model/tokens/tokenizer.js';

type Ids = readonly (readonly [text: string, ids: readonly number[]])[];

const readJson = <T>(path: string | URL): T => JSON.parse(readFileSync(path, 'utf8')) as T;
const root = mkdtempSync(join(tmpdir(), 'robust-tokenizers-'));

async function agrees(folder: string, cases: Ids): Promise<void> {
  const encoder = await tokenizerEncoder(folder, { maximum: 512, length: undefined, padId: 0 });
  for (const [text, ids] of cases) {
    expect([...encoder.encode(text).ids], text).toEqual(ids);
    expect(
      encoder.tokens(text).map(({ id }) => id),
      text,
    ).toEqual(ids);
  }
}

function folderOf(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(root, 'x-'));
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  return folder;
}

const steps = readJson<{ readonly cases: readonly { name: string; definition: JsonObject; cases: Ids }[] }>(
  new URL('./tokenizer-steps.json', import.meta.url),
).cases;

test.each(steps.map((each) => [each.name, each] as const))('%s', (_, { definition, cases }) =>
  agrees(folderOf({ 'tokenizer.json': definition }), cases),
);

const shared = join(import.meta.dirname, '../../../shared/cases');

describe.skipIf(!existsSync(shared))('cases (skipped without ../shared)', () => {
  test.each(['cprefix', 'fuse_words', 'single_word'])('%s', (name) =>
    agrees(join(shared, 'tokenizers', name), readJson(join(shared, 'tokenizers', `${name}.json`))),
  );

  test('the class that the configuration names wins over the file', async () => {
    const { texts, g } = readJson<{ texts: string[]; g: Record<string, { ids: number[][] }> }>(
      join(shared, 'tokenizers', 'tokcfg.json'),
    );
    for (const [name, { ids }] of Object.entries(g))
      await agrees(
        join(shared, 'tokenizers', 'tokcfg', name),
        ids.map((each, at) => [texts[at]!, each] as const),
      );
  });

  test.each(
    existsSync(shared)
      ? readdirSync(join(shared, 'models')).flatMap((name) => /^(.*)\.golden\.json$/.exec(name)?.[1] ?? [])
      : [],
  )('the model %s answers as transformers of this year', async (name) => {
    const folder = join(shared, 'models', name);
    const { cases } = readJson<{ cases: { texts: string | [string, string]; probs: number[] }[] }>(
      `${folder}.golden.json`,
    );
    const model = await loadModel(folder, { workers: 1, hub: { cache: join(root, 'hub') } });
    onTestFinished(() => model.close());
    const rows = await model.classify(cases.map(({ texts }) => [texts].flat().join(PAIR_SEPARATOR)));
    for (const [at, { probs }] of cases.entries())
      expect(Array.from(rows[at]!)).toEqual(probs.map((each) => expect.closeTo(each, 5)));
  });

  test('HerBERT has words and merges', () => {
    const { cases } = readJson<{ cases: { texts: string; ids: number[] }[] }>(
      join(shared, 'models', 'herbert.golden.json'),
    );
    return agrees(
      join(shared, 'models', 'herbert'),
      cases.map(({ texts, ids }) => [texts, ids] as const),
    );
  });
});

const V5 = { backend: 'tokenizers' };

test.each([
  [{}, true],
  [{ tokenizer_class: 'PreTrainedTokenizerFast' }, true],
  [{ tokenizer_class: 'DistilBertTokenizerFast' }, false],
  [{ ...V5, tokenizer_class: 'TokenizersBackend' }, false],
  [{ ...V5, tokenizer_class: 'BertTokenizer' }, true],
  [{ ...V5, tokenizer_class: 'AlbertTokenizer' }, false],
  [{ ...V5, tokenizer_class: 'BertTokenizer', model_input_names: ['input_ids', 'attention_mask'] }, false],
  [{ tokenizer_class: 'RobertaTokenizer', model_input_names: ['input_ids', 'token_type_ids'] }, true],
])('token types by %j: %s', (config, given) => {
  expect(givesTypes(config)).toBe(given);
});

const FRAME = { type: 'BertProcessing', cls: ['[CLS]', 0], sep: ['[SEP]', 1] };
const PIECES = { model: { vocab: { '[CLS]': 0, '[SEP]': 1 } }, post_processor: FRAME, pre_tokenizer: null };

test.each([
  ['Albert', { do_lower_case: true }, 'do_lower_case: expected false'],
  ['XLNet', { keep_accents: false }, 'keep_accents: expected true'],
  ['DebertaV2', { split_by_punct: true }, 'split_by_punct: expected false'],
  ['XLMRoberta', { add_prefix_space: false }, 'add_prefix_space: expected true'],
  ['Bert', { cls_token: '<s>' }, 'got "<s>"'],
])('an option of %s that we cannot follow is refused: %j', (name, config, message) => {
  expect(() => asItsClass(PIECES, { tokenizer_class: `${name}Tokenizer`, ...config })).toThrow(message);
});

test.each([
  ['XLMTokenizer', { 'vocab.json': {}, 'merges.txt': '' }, 'XLMTokenizer is written in Python'],
  ['PhobertTokenizer', { 'vocab.txt': '' }, 'PhobertTokenizer is written in Python'],
  ['WhisperTokenizer', { 'vocab.json': {}, 'merges.txt': '' }, 'got whisper'],
])('%s without a tokenizer.json is refused by its name', async (name, files, message) => {
  const folder = folderOf({
    ...files,
    'config.json': { model_type: 'roberta' },
    'tokenizer_config.json': { tokenizer_class: name },
  });
  await expect(agrees(folder, [])).rejects.toThrow(message);
});
