/** Examines model folders without running any file. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Chalk } from 'chalk';
import { expect, test } from 'vitest';
import { modelScanDocument, onScreen } from '../../reports/index.js';
import { packageRoot } from '../../src/core/package-root.js';
import { inspect } from '../../src/inspection/index.js';
import { modelVerdict } from '../../src/results/backdoor/model-scan.js';

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
  const verdicts = ['none found', 'none to check', 'none found', 'none found', 'none found'];
  expect(checks.map(({ verdict }) => verdict)).toEqual(verdicts);
  const scan = {
    model: { name: 'm', files: 1, bytes: 1 },
    ...modelVerdict(checks),
    checks,
    scan: null,
    toolVersion: '',
  };
  const first = [...onScreen(modelScanDocument(scan), { width: 200, chalk: new Chalk({ level: 0 }) })].join('');
  expect(first).toContain('4 checks found nothing in what they examined; none to check: pickles');
});

test('where a checkpoint came from is a note, which nothing opens', async () => {
  const at = model();
  edit(join(at, 'config.json'), (value) => ({ ...value, _name_or_path: '/content/out', name_or_path: '../bert' }));
  expect(modelVerdict((await inspect(at)).checks).verdict).toBe('none found');
});

test.each<[string, (folder: string) => void, 'danger' | 'warnings']>([
  ['a link out of the folder', (at) => symlinkSync('/etc/passwd', join(at, 'extra.txt')), 'danger'],
  [
    'code named by auto_map',
    (at) => edit(join(at, 'config.json'), (value) => ({ ...value, auto_map: { AutoModel: 'm.M' } })),
    'warnings',
  ],
  ['a file of code', (at) => writeFileSync(join(at, 'modeling.py'), 'x = 1'), 'warnings'],
  [
    'a path out of the folder',
    (at) => edit(join(at, 'config.json'), (value) => ({ ...value, vocab_file: '../../secret.txt' })),
    'danger',
  ],
  ...['../../outside/w.safetensors', '/etc/w.safetensors', 'a/../../w.safetensors', '..\\\\w.safetensors'].map(
    (name): [string, (folder: string) => void, 'danger'] => [
      `weights that an index seeks in ${name}`,
      (at) => writeFileSync(join(at, 'model.safetensors.index.json'), JSON.stringify({ weight_map: { a: name } })),
      'danger',
    ],
  ),
  [
    'weights of TF.js elsewhere',
    (at) => writeFileSync(join(at, 'model.json'), JSON.stringify({ weightsManifest: [{ paths: ['/tmp/w.bin'] }] })),
    'danger',
  ],
  [
    'a way up under a key of any name, in a list of any length',
    (at) =>
      edit(join(at, 'config.json'), (value) => ({ ...value, own: [...Array(20_000).fill('a'), '../up/code.bin'] })),
    'danger',
  ],
  [
    'a template that reaches for code',
    (at) => writeFileSync(join(at, 'chat_template.json'), JSON.stringify({ chat_template: '{{ x.__class__ }}' })),
    'danger',
  ],
  [
    'a pickle that runs a command',
    (at) => writeFileSync(join(at, 'pytorch_model.bin'), "cos\nsystem\n(S'id'\ntR."),
    'danger',
  ],
])('%s', async (_, change, verdict) => {
  const result = await found(change);
  expect(result.verdict).toBe(verdict);
  expect(result.reasons).toMatchSnapshot();
});

const deep = (levels: number): unknown => (levels === 0 ? '../x' : [deep(levels - 1)]);

test.each<[string, (folder: string) => void]>([
  ['an unknown format', (at) => writeFileSync(join(at, 'extra.xyz'), 'numbers')],
  ['a folder without weights', (at) => rmSync(join(at, 'model.onnx'))],
  [
    'a shard that an index names and the folder lacks',
    (at) => writeFileSync(join(at, 'x.index.json'), JSON.stringify({ weight_map: { a: 'm-2.safetensors' } })),
  ],
  ['values deeper than are followed', (at) => writeFileSync(join(at, 'deep.json'), JSON.stringify(deep(60)))],
  [
    'weights of fastText',
    (at) => writeFileSync(join(at, 'm.ftz'), Buffer.from([0xba, 0x16, 0x4f, 0x2f, 0x0c, 0, 0, 0])),
  ],
])('%s is not examined, and the verdict says so', async (_, change) => {
  const { verdict, reasons } = await found(change);
  expect(verdict).toBe('inconclusive');
  expect(reasons).toMatchSnapshot();
});

const tokenizer = (change: (value: Record<string, never>) => object) => (at: string) =>
  edit(join(at, 'tokenizer.json'), change as (value: Record<string, unknown>) => object);

test.each<[string, (folder: string) => void]>([
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
  ],
])('%s', async (_, change) => {
  const { verdict, reasons } = await found(change);
  expect(verdict).toBe('warnings');
  expect(reasons).toMatchSnapshot();
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
