/** Inert files run no code: models, tokenizers, data, configurations in YAML, baselines and reports that try. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openDataset } from '../../datasets/index.js';
import { fileFormats, jsonOf } from '../../reports/index.js';
import { loadConfig } from '../../src/config/load.js';
import { RobustError } from '../../src/core/errors.js';
import { wilson } from '../../src/core/statistics/stats.js';
import { baselineText, parseBaseline } from '../../src/gate/baseline.js';
import { baselineOf } from '../../src/gate/index.js';
import { loadModel } from '../../src/model/load.js';
import type { Outcome } from '../../src/plugin.js';
import { classScores } from '../../src/results/clean/class-scores.js';
import { GENERAL_MEASURES as generalMeasures } from '../../src/results/measures/index.js';
import { readReportFile } from '../../src/run/index.js';
import { foldedOutcomes } from '../../src/run/report.js';
import { attack, outcomes, report, text } from '../reports/fixture.js';
import { config, external, folder, toyFolder, toyGraph, wordPiece } from './toy.js';

/** Where anything that runs would leave a mark. */
const root = mkdtempSync(join(tmpdir(), 'robust-inert-'));
const mark = join(root, 'ran');

/** Each runs somewhere, where somebody evaluates it. */
const TRIES: readonly string[] = [
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: what a template engine would fill in.
  '${globalThis.ran = 1}',
  '{{constructor.constructor("globalThis.ran = 1")()}}',
  '<%= globalThis.ran = 1 %>',
  `$(touch ${mark})`,
  `\`touch ${mark}\``,
  `; touch ${mark} #`,
  `| touch ${mark}`,
  `a && touch ${mark}`,
  `=cmd|'/C touch ${mark}'!A0`,
  `__import__('os').system('touch ${mark}')`,
  `require('fs').writeFileSync('${mark}', '')`,
  'data:text/javascript,globalThis.ran = 1',
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above.
];
/** Own and inherited properties of objects. */
const KEYS: readonly string[] = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
  'toJSON',
];

const script = `require('fs').writeFileSync(${JSON.stringify(mark)}, ''); globalThis.ran = 1;\n${' '.repeat(4096)}`;
/** Files that lie beside, which a loader of plugins would run. */
const BESIDE = {
  'index.js': script,
  'config.js': script,
  'tokenizer.js': script,
  'robust.json.js': script,
  'modeling_evil.py': `open(${JSON.stringify(mark)}, "w")\n`,
  'package.json': { main: 'index.js', scripts: { install: `touch ${mark}`, preinstall: `touch ${mark}` } },
};

/** Members that would change a prototype wherever one object is merged into another. */
const POISON = '"__proto__":{"ran":1,"polluted":true},"constructor":{"prototype":{"ran":1,"polluted":true}}';
const poisoned = (document: string): string => document.replace(/^\s*\{/, `{${POISON},`);
/** In every object that is not empty. */
const poisonedThrough = (document: string): string => document.replace(/\{(?=\s*")/g, `{${POISON},`);

/** All that a program could have changed for everybody. */
const globals = (): string[] => {
  const seen: string[] = [];
  const shared = [Object, Array, Function, String, Number, Promise, Map, RegExp, Error, JSON, Reflect, Math];
  for (const each of [globalThis, ...shared, ...shared.flatMap((one) => ('prototype' in one ? [one.prototype] : []))]) {
    for (const key of Reflect.ownKeys(each)) {
      const { value, get } = Object.getOwnPropertyDescriptor(each, key) as PropertyDescriptor;
      seen.push(`${String(key)} ${typeof value} ${typeof value === 'function' ? value.toString().length : ''} ${get}`);
    }
  }
  return [...seen, process.cwd(), JSON.stringify(process.env)];
};

/** Every file below, with its contents. */
const files = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => `${file} ${readFileSync(file).toString('base64')}`)
    .sort();

/** Runs `read`, which may refuse with a code, and looks around after it. True where it was read. */
async function untouchedBy(path: string, read: () => Promise<unknown>): Promise<boolean> {
  const started: unknown[] = [];
  const onStart = (process: unknown): void => void started.push(process);
  const before = [globals(), files(path), readdirSync(process.cwd()).sort()];
  subscribe('child_process', onStart);
  let done = true;
  try {
    await read();
  } catch (error) {
    if (!(error instanceof RobustError)) throw error;
    done = false;
  } finally {
    unsubscribe('child_process', onStart);
  }
  expect([globals(), files(path), readdirSync(process.cwd()).sort()]).toEqual(before);
  expect(({} as { ran?: number }).ran).toBeUndefined();
  expect(globalThis).not.toHaveProperty('ran');
  expect(started).toEqual([]);
  expect(existsSync(mark)).toBe(false);
  return done;
}

/** Answers that the model gives, its labels. */
async function answered(path: string, texts: readonly string[] = ['good film']): Promise<readonly string[]> {
  const model = await loadModel(path, { workers: 1, isolate: false });
  try {
    await model.classify(texts);
    return model.labels;
  } finally {
    await model.close();
  }
}

// Backends, workers and tables are made once, at the first use.
beforeAll(async () => {
  await answered(toyFolder());
  await text(fileFormats.find(({ name }) => name === 'model-card')!.render(report()));
});

test('the watch sees what runs', async () => {
  const { spawn } = await import('node:child_process');
  await expect(untouchedBy(root, async () => void spawn(process.execPath, ['-v']))).rejects.toThrow();
  await expect(untouchedBy(root, async () => writeFileSync(join(root, 'new'), ''))).rejects.toThrow();
  const polluted = (): void => void Object.assign(Object.getPrototypeOf({}), { polluted: 1 });
  await expect(untouchedBy(root, async () => polluted())).rejects.toThrow();
  Reflect.deleteProperty(Object.prototype, 'polluted');
  rmSync(join(root, 'new'));
});

describe('a model', () => {
  const whole = JSON.stringify(config());
  const pieces = JSON.stringify(wordPiece());
  const manifest = JSON.stringify({ model: 'model.onnx', labels: ['no', 'yes'], input: { kind: 'tokenizer' } });

  test.each<[string, Parameters<typeof toyFolder>[1], boolean | undefined]>([
    ['beside files that run', BESIDE, true],
    ['with a poisoned config.json', { 'config.json': poisoned(whole) }, true],
    ['with one poisoned through', { 'config.json': poisonedThrough(whole) }, undefined],
    ['with a poisoned tokenizer.json', { 'tokenizer.json': poisoned(pieces) }, undefined],
    ['with one poisoned through', { 'tokenizer.json': poisonedThrough(pieces) }, undefined],
    [
      'with a poisoned tokenizer_config.json',
      { 'tokenizer_config.json': poisoned('{"do_lower_case":true}') },
      undefined,
    ],
    ['with a poisoned robust.json', { 'robust.json': poisoned(manifest) }, undefined],
    ['with one poisoned through', { 'robust.json': poisonedThrough(manifest) }, undefined],
    [
      'that asks for code of its own, as transformers would run',
      {
        ...BESIDE,
        'config.json': config(['no', 'yes'], {
          auto_map: { AutoModel: 'modeling_evil.Evil', AutoTokenizer: ['modeling_evil.Evil', null] },
          architectures: [TRIES[10]],
          custom_pipelines: { evil: { impl: 'modeling_evil.Evil' } },
          trust_remote_code: true,
        }),
        'tokenizer_config.json': { tokenizer_class: TRIES[9], auto_map: { AutoTokenizer: 'modeling_evil.Evil' } },
      },
      true,
    ],
  ])('%s', async (_, more, expected) => {
    const path = toyFolder({}, more);
    const done = await untouchedBy(path, () => answered(path));
    if (expected !== undefined) expect(done).toBe(expected);
  });

  test.each([...TRIES, ...KEYS])('whose label and name of a word is %j', async (evil) => {
    const labels = [evil, 'yes'];
    const path = toyFolder({}, { 'config.json': `${JSON.stringify(config(labels))}` });
    const done = untouchedBy(path, async () => expect(await answered(path, [evil, `good ${evil}`])).toEqual(labels));
    expect(await done).toBe(true);
  });

  test('whose vocabulary has the names of what objects have', async () => {
    const made = wordPiece() as { model: { vocab: Record<string, number> } };
    // Takes the place of a word: a literal key, as JSON.parse makes it.
    const document = JSON.stringify(made).replace('"good":4', '"__proto__":4').replace('"bad":5', '"constructor":5');
    expect(document).not.toBe(JSON.stringify(made));
    const path = toyFolder({}, { 'tokenizer.json': document });
    expect(await untouchedBy(path, () => answered(path, ['__proto__ constructor film', 'toString']))).toBe(true);
  });

  test('whose words are those, by number', async () => {
    const path = folder({
      'model.onnx': toyGraph().build(),
      'robust.json': {
        model: 'model.onnx',
        labels: ['no', 'yes'],
        input: { kind: 'word-index', vocabulary: 'words.json', unknown: 1, length: 8 },
      },
      'words.json': '{"__proto__":5,"constructor":4,"film":6}',
    });
    expect(await untouchedBy(path, () => answered(path, ['__proto__ constructor film', 'toString valueOf']))).toBe(
      true,
    );
  });

  const weightsIn = (place: string): string =>
    folder({
      'model.onnx': external(place).bytes,
      'config.json': config(),
      'tokenizer.json': wordPiece(),
      ...BESIDE,
    });

  test.each([...TRIES, '../out', '/etc/passwd', 'http://127.0.0.1:1/x', 'file:///etc/passwd', ...KEYS])(
    'whose weights lie in %j',
    async (place) => {
      const path = weightsIn(place);
      expect(await untouchedBy(path, () => answered(path))).toBe(false);
    },
  );

  test('whose weights lie in a file of code, which is long enough: they are numbers like any', async () => {
    const path = weightsIn('index.js');
    expect(await untouchedBy(path, () => answered(path))).toBe(true);
  });
});

describe('data', () => {
  const read = async (path: string): Promise<void> => {
    for await (const { text: of } of (await openDataset(path)).examples()) expect(of).toBeTypeOf('string');
  };

  test.each(
    TRIES.filter((name) => !name.includes('/')).concat('$(touch ran)', '`touch ran`', ';touch ran', '--help', '|sh'),
  )('in a file named %j', async (name) => {
    const path = folder({ [`${name}.csv`]: 'text,label\ngood,a\nbad,b\n' });
    expect(await untouchedBy(path, () => read(join(path, `${name}.csv`)))).toBe(true);
  });

  const evil = [...TRIES, ...KEYS];
  const cell = (of: string): string => `"${of.replaceAll('"', '""')}"`;
  test.each([
    ['data.csv', `text,label\n${evil.map((of) => `${cell(of)},${cell(of)}`).join('\n')}\n`],
    ['data.jsonl', evil.map((of) => poisoned(JSON.stringify({ text: of, label: of }))).join('\n')],
    ['columns.csv', `text,label,__proto__,constructor\n${evil.map((of) => `${cell(of)},a,b,c`).join('\n')}\n`],
  ])('%s with such texts, labels and columns', async (name, content) => {
    const path = folder({ [name]: content });
    expect(await untouchedBy(path, () => read(join(path, name)))).toBe(true);
  });
});

test.each([
  'a: !!js/function "function () { globalThis.ran = 1 }"',
  'model: !!js/function "globalThis.ran = 1"',
  'model: !!js/regexp /x/',
  'model: !!js/undefined ""',
  `model: !!python/object/apply:os.system ["touch ${mark}"]`,
  'model: !ruby/object:Gem::Installer x',
  '__proto__: { ran: 1 }',
  'constructor: { prototype: { ran: 1 } }',
  '"__proto__": &a { ran: 1 }\n<<: *a',
  '? { __proto__: 1 }\n: 1',
  ...TRIES.map((evil) => `model: ${JSON.stringify(evil)}`),
])('settings in YAML: %j', async (content) => {
  const path = folder({ 'robust.config.yaml': content });
  await untouchedBy(path, () => loadConfig(path, 'robust.config.yaml'));
});

describe('what an earlier run wrote', () => {
  const evil = [...TRIES, ...KEYS];
  const own = outcomes
    .filter((outcome) => outcome.attack === 'deepwordbug')
    .map((outcome, at): Outcome => ({ ...outcome, id: evil[at] as string, text: `${evil[at + 5]} ${outcome.text}` }));
  const labels = ['__proto__', TRIES[1]!];
  const model = { name: TRIES[3]!, sha256: TRIES[0]!, labels };
  const planned = [
    attack('deepwordbug', 2, 1, { skipped: 1, options: Object.fromEntries(evil.map((of) => [of, of])) }),
  ];
  const confusion = [
    [8, 2],
    [1, 9],
  ];
  const counts = [
    { hits: 8, support: 10, predicted: 9 },
    { hits: 9, support: 10, predicted: 11 },
  ];
  /** The figures are those of the outcomes: others are refused before anything is rendered. */
  const hostile = async () => {
    async function* entries() {
      for (const [index, outcome] of own.entries()) yield { index, outcome };
    }
    const run = { attacks: planned, seconds: { clean: 0, attacks: { deepwordbug: 1.5 } }, model, fingerprint: {} };
    const { attacks, suites, overall } = await foldedOutcomes(run, () => generalMeasures, entries());
    return report({
      model,
      ...{ attacks, suites, overall },
      clean: { accuracy: wilson(17, 20), microF1: 0.85, confusion, ...classScores(labels, counts, 1) },
      warnings: evil,
      command: TRIES[5]!,
      provenance: {
        ...{ created: '2026-11-20T21:14:00.000Z', hardware: evil[0]!, platform: evil[3]!, config: evil[4]! },
        versions: Object.fromEntries(evil.map((of) => [of, of])),
        settings: Object.fromEntries(evil.map((of) => [of, { value: of, origin: of }])),
        fingerprint: Object.fromEntries(evil.map((of) => [of, of])),
      },
      examples: {
        async *[Symbol.asyncIterator]() {
          yield* own;
        },
      },
    });
  };

  test.each<[string, (document: string) => string, boolean | undefined]>([
    ['as it is', (document) => document, true],
    ['poisoned', poisoned, true],
    ['poisoned through', poisonedThrough, undefined],
  ])('report.json, %s', async (_, change, expected) => {
    const path = folder({ 'report.json': change(await text(jsonOf('attack').render(await hostile()))) });
    const done = await untouchedBy(path, async () => {
      const back = await readReportFile(join(path, 'report.json'));
      for (const format of fileFormats) await text(format.render(back));
    });
    if (expected !== undefined) expect(done).toBe(expected);
  });

  test.each<[string, (document: string) => string]>([
    ['as it is', (document) => document],
    ['poisoned', poisoned],
    ['poisoned through', poisonedThrough],
  ])('a baseline, %s', async (_, change) => {
    const document = change(baselineText(await baselineOf(await hostile())));
    expect(await untouchedBy(root, async () => parseBaseline(document, 'robust.baseline.json'))).toBe(true);
  });
});
