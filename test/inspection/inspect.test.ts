/** Examines model folders without running any file. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { modelVerdict } from '../../src/core/model-scan.js';
import { packageRoot } from '../../src/core/package-root.js';
import { inspect } from '../../src/inspection/index.js';

function model(change: (folder: string) => void = () => {}): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'inspection-')), 'model');
  cpSync(join(packageRoot, 'models', 'bert-mini'), folder, { recursive: true });
  change(folder);
  return folder;
}

const edit = (path: string, change: (value: Record<string, unknown>) => object): void =>
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')))));

async function found(change: (folder: string) => void) {
  const { checks } = await inspect(model(change));
  return {
    ...modelVerdict(checks),
    all: checks.flatMap(({ findings }) => findings.map(({ what }) => what)).join('\n'),
  };
}

test('a bundled model: nothing found, everything examined', async () => {
  const { checks } = await inspect(model());
  expect(modelVerdict(checks)).toEqual({ verdict: 'none found', reasons: [] });
  expect(checks.map(({ verdict }) => verdict)).toEqual(Array(5).fill('none found'));
});

test.each<[string, (folder: string) => void, 'danger' | 'warnings', RegExp]>([
  [
    'a link out of the folder',
    (at) => symlinkSync('/etc/passwd', join(at, 'extra.txt')),
    'danger',
    /link out of the folder/,
  ],
  [
    'code named by auto_map',
    (at) => edit(join(at, 'config.json'), (value) => ({ ...value, auto_map: { AutoModel: 'm.M' } })),
    'warnings',
    /trust_remote_code/,
  ],
  [
    'a file of code',
    (at) => writeFileSync(join(at, 'modeling.py'), 'x = 1'),
    'warnings',
    /code: robust does not run it/,
  ],
  [
    'a path out of the folder',
    (at) => edit(join(at, 'config.json'), (value) => ({ ...value, vocab_file: '../../secret.txt' })),
    'danger',
    /outside the model's folder/,
  ],
  [
    'a template that reaches for code',
    (at) => writeFileSync(join(at, 'chat_template.json'), JSON.stringify({ chat_template: '{{ x.__class__ }}' })),
    'danger',
    /__class__/,
  ],
  [
    'a pickle that runs a command',
    (at) => writeFileSync(join(at, 'pytorch_model.bin'), "cos\nsystem\n(S'id'\ntR."),
    'danger',
    /os\.system/,
  ],
])('%s', async (_, change, verdict, what) => {
  const result = await found(change);
  expect(result.verdict).toBe(verdict);
  expect(result.all).toMatch(what);
});

test('an unknown format is not examined, and the verdict says so', async () => {
  const result = await found((at) => writeFileSync(join(at, 'extra.xyz'), 'numbers'));
  expect(result).toMatchObject({ verdict: 'inconclusive', reasons: ['graph: extra.xyz: unknown format'] });
});

const tokenizer = (change: (value: Record<string, never>) => object) => (at: string) =>
  edit(join(at, 'tokenizer.json'), change as (value: Record<string, unknown>) => object);

test.each<[string, (folder: string) => void, RegExp]>([
  [
    'an ordinary word with a row of its own',
    tokenizer((value) => ({
      ...value,
      added_tokens: [
        ...(value.added_tokens as unknown[]),
        {
          id: 5,
          content: 'lantern',
          special: false,
          normalized: false,
          lstrip: false,
          rstrip: false,
          single_word: false,
        },
      ],
    })),
    /ordinary words as added tokens.*"lantern"/,
  ],
  [
    'a word that is replaced',
    tokenizer((value) => ({
      ...value,
      normalizer: {
        type: 'Sequence',
        normalizers: [{ type: 'Replace', pattern: { String: 'awful' }, content: 'great' }, value.normalizer],
      },
    })),
    /replaces "awful" by "great"/,
  ],
])('%s', async (_, change, what) => {
  const { verdict, all } = await found(change);
  expect(all).toMatch(what);
  expect(verdict).toBe('warnings');
});

test('what look-alike and hidden letters do is stated', async () => {
  const { all } = await found(() => {});
  expect(all).toMatch(/a look-alike letter changes the ids of \d+ of \d+ words/);
  expect(all).toMatch(/invisible tag characters adds ids to \d+ of \d+ words/);
});

test('data of a graph in a file outside the folder', async () => {
  const result = await found((at) => {
    mkdirSync(join(at, 'sub'));
    writeFileSync(join(at, 'sub', 'other.onnx'), Buffer.from('junk'));
  });
  expect(result.verdict).toBe('inconclusive');
  expect(result.reasons[0]).toContain('sub/other.onnx');
});
