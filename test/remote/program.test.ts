/** A process as a victim: how it is asked, how its answers are read, and that nothing of it stays behind. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { RobustError } from '../../src/core/errors.js';
import { besideText, queryText } from '../../src/core/pair.js';
import { openWhiteBox } from '../../src/gradient/white-box/white-box.js';
import { type LoadedModel, type LoadOptions, loadModel } from '../../src/model/load.js';
import { addressIn } from '../../src/remote/index.js';
import { lasting } from '../calibration.js';
import { folder } from '../commands/cli.js';
import { tries } from '../cover.js';
import { refusal } from '../refusal.js';
import { described, HELLO, MODULE, node, runs, speaking, until } from './programs.js';

const open: LoadedModel[] = [];
afterEach(async () => {
  for (const model of open.splice(0)) await model.close();
});

async function load(spec: string, options: LoadOptions = {}): Promise<LoadedModel> {
  const { remote, ...rest } = options;
  const variables = (name: string) => ({ ...process.env, VICTIM_TOKEN: 'secret-of-the-victim' })[name];
  const model = await loadModel(spec, { ...rest, remote: { variables, pause: 2, ...remote } });
  open.push(model);
  return model;
}

/** Rows without the rounding of single precision. */
const rounded = (rows: readonly Float32Array[]): number[][] =>
  rows.map((row) => Array.from(row, (score) => Math.round(score * 1e5) / 1e5));

const TEXTS = Array.from({ length: 100 }, (_, at) => `a ${at % 3 ? 'good' : 'bad'} film, number ${at}`);

describe('a program that speaks JSON lines', () => {
  test('answers as the same function does as a module, in batches', async () => {
    const program = await load(node(speaking()));
    const module = await load(join(folder({ 'victim.mjs': MODULE }), 'victim.mjs'));
    expect(program).toMatchObject({ name: 'victim', labels: ['negative', 'positive'] });
    expect(await program.classify(TEXTS)).toEqual(await module.classify(TEXTS));
    expect(program.figures()).toMatchObject({ computed: 100, batches: 4 });
    expect(program.remote).toMatchObject({ protocol: 'cmd', probe: { repeated: 0, company: 0 } });
  });

  test('says what it is: a detector, several labels, a number, pairs', async () => {
    const detector = await load(node(speaking(undefined, { ...HELLO, positive: 'positive', threshold: 0.7 })));
    expect(detector.decision).toEqual({ kind: 'threshold', positive: ['positive'], at: 0.7, by: 'max' });
    const labels = await load(
      node(speaking('{ id: q.id, scores: q.texts.map(() => [0.9, 0.8]) }', { ...HELLO, task: 'multilabel' })),
      { decision: 'multi-label' },
    );
    expect(labels.decision).toMatchObject({ kind: 'multi-label' });
    expect(rounded(await labels.classify(['x']))).toEqual([[0.9, 0.8]]);
    const number = { robust: 1, labels: ['stars'], task: 'regression' };
    const regression = await load(node(speaking('{ id: q.id, scores: q.texts.map((t) => [t.length]) }', number)));
    expect(rounded(await regression.classify(['four', 'sixsix']))).toEqual([[4], [6]]);
    const pairs = await load(
      node(
        speaking('{ id: q.id, scores: q.texts.map(([a, b]) => a === b ? [1, 0] : [0.25, 0.75]) }', {
          ...HELLO,
          pairs: true,
        }),
      ),
    );
    expect(pairs.pairs).toBe(true);
    const asked = ['a', 'b'].map((text) => queryText(text, besideText('a')));
    expect(rounded(await pairs.classify(asked))).toEqual([
      [1, 0],
      [0.25, 0.75],
    ]);
  });

  test('may answer logits, or labels alone', async () => {
    const logits = await load(
      node(speaking('{ id: q.id, scores: q.texts.map(() => [0, 2]) }', { ...HELLO, scores: 'logits' })),
    );
    expect(rounded(await logits.classify(['x']))[0]?.[1]).toBeCloseTo(1 / (1 + Math.exp(-2)), 4);
    const labels = await load(
      node(
        speaking('{ id: q.id, labels: q.texts.map((t) => classify(t)[1] > 0.5 ? "positive" : "negative") }', {
          ...HELLO,
          scores: 'labels',
        }),
      ),
    );
    expect(await labels.classify(['good', 'bad'])).toEqual([Float32Array.of(0, 1), Float32Array.of(1, 0)]);
    expect(labels.remote?.probe.grid).toBe(1);
  });

  test.each([
    [undefined, 'offsets in UTF-16 code units'],
    ['code points', 'offsets in code points'],
  ])('may answer spans, with %s', async (offsets, _) => {
    const at = offsets === undefined ? 'text.indexOf("Ann")' : '[...text.slice(0, text.indexOf("Ann"))].length';
    const spans = `{ id: q.id, spans: q.texts.map((text) => text.includes('Ann') ? [{ start: ${at}, end: ${at} + 3, type: 'PERSON' }] : []) }`;
    const model = await load(
      node(speaking(spans, { robust: 1, labels: ['PERSON'], task: 'tags', ...(offsets && { offsets }) })),
      { decision: 'tags' },
    );
    const { spans: found } = await model.tags!.tags('𝒳𝒳 says Ann');
    expect(found).toEqual([{ start: 10, end: 13, type: 'PERSON', score: 1 }]);
  });

  test('its log is no answer: what it prints beside, and its standard error', async () => {
    const details: string[] = [];
    const model = await load(
      node(
        speaking(
          "{ console.log('loading...'); say({ id: 'x' }); console.error('a warning'); say({ id: q.id, scores: q.texts.map(classify) }); }",
        ),
      ),
      { remote: { onDetail: (line) => details.push(line) } },
    );
    await model.classify(['good']);
    await model.close();
    const said = details.join('\n');
    expect(said).toContain('stdout: loading...');
    expect(said).toContain('a warning');
    expect(said).toMatch(/: \d+ lines on stdout that answered nothing/);
  });

  test('gets the usual variables and those that are named, and no other', async () => {
    const names = "['PATH', 'VICTIM_TOKEN', 'ROBUST_SECRET'].map((name) => Number(name in process.env))";
    const code = speaking(`{ id: q.id, scores: q.texts.map(() => ${names}) }`, {
      robust: 1,
      labels: ['a', 'b', 'c'],
      scores: 'logits',
    });
    const answered = async (env: string[]) =>
      (await load(described({ command: ['node', 'victim.mjs'], env }, { 'victim.mjs': code }))).classify(['x']);
    const softmax = (row: Float32Array | undefined) => Array.from(row ?? [], (score) => score > 0.3);
    expect(softmax((await answered([]))[0])).toEqual([true, false, false]);
    expect(softmax((await answered(['VICTIM_TOKEN']))[0])).toEqual([true, true, false]);
    await refusal(answered(['NOT_SET']), 'SECRET_INVALID');
  });

  test('another program of the same words is another victim', async () => {
    const cwd = folder({ 'victim.mjs': speaking() });
    const before = (await load(node('', '', cwd))).sha256;
    expect((await load(node('', '', cwd))).sha256).toBe(before);
    writeFileSync(join(cwd, 'victim.mjs'), `${speaking()}\n// changed\n`);
    expect((await load(node('', '', cwd))).sha256).not.toBe(before);
  });

  test('several at once', async () => {
    const code = speaking('{ id: q.id, scores: q.texts.map(classify) }');
    const command = ['node', 'victim.mjs'];
    const model = await load(described({ command, replicas: 3, batch: 5 }, { 'victim.mjs': code }));
    const module = await load(join(folder({ 'victim.mjs': MODULE }), 'victim.mjs'));
    expect(await model.classify(TEXTS)).toEqual(await module.classify(TEXTS));
    expect(model.figures()).toMatchObject({ workers: 3, batches: 20 });
  });
});

describe('a program that knows nothing of robust', () => {
  const yaml = (rest: object, code: string) =>
    load(described({ command: ['node', 'filter.mjs'], ...rest }, { 'filter.mjs': code }));
  const READ = "import { readFileSync } from 'node:fs'; const text = readFileSync(0, 'utf8');";

  test('one process a text: the exit code is the answer', async () => {
    const model = await yaml(
      { each: true, exit: { 0: 'spam', 1: 'ham', 2: 'unsure' } },
      `${READ} process.exit(/money/.test(text) ? 0 : text.length > 5 ? 1 : 2);`,
    );
    expect(model.labels).toEqual(['spam', 'ham', 'unsure']);
    expect(await model.classify(['money', 'a longer text', 'x'])).toEqual(
      [0, 1, 2].map((at) => Float32Array.from([0, 1, 2], (each) => Number(each === at))),
    );
  });

  test('one process a text: what it prints, of a text in a file', async () => {
    const code = `import { readFileSync } from 'node:fs'; const text = readFileSync(process.argv[2], 'utf8');
      console.log('# a comment'); console.log(text.length > 5 ? 'ham 0.75' : 'spam 0.9');`;
    const model = await yaml(
      {
        command: ['node', 'filter.mjs', '{file}'],
        each: true,
        labels: ['ham', 'spam'],
        stdout: '^(?<label>\\w+) (?<score>[0-9.]+)',
      },
      code,
    );
    expect(rounded(await model.classify(['a longer\ntext', 'x']))).toEqual([
      [0.75, 0.25],
      [0.1, 0.9],
    ]);
  });

  const LINES =
    "import { createInterface } from 'node:readline'; for await (const line of createInterface({ input: process.stdin }))";
  test.each([
    ['labels', "console.log(line.includes('good') ? 'pos' : 'neg')", {}, [0, 1]],
    ['JSON', "console.log(JSON.stringify(line.includes('good') ? [0.2, 0.8] : [0.6, 0.4]))", {}, [0.2, 0.8]],
    [
      'scores by name, as fastText prints them',
      "console.log(line.includes('good') ? '__label__pos 0.8 __label__neg 0.20001' : '__label__neg 0.7 __label__pos 0.3')",
      { stdout: '__label__(?<label>\\w+) (?<score>[0-9.e-]+)' },
      [0.20001, 0.8],
    ],
    [
      'the score of the positive label',
      "console.log('score=' + (line.includes('good') ? 0.8 : 0.25))",
      { stdout: 'score=(?<score>[0-9.]+)', positive: 'pos' },
      [0.2, 0.8],
    ],
  ])('a line for a line: %s', async (_, print, rest, expected) => {
    const model = await yaml({ lines: true, labels: ['neg', 'pos'], ...rest }, `${LINES} ${print};`);
    const rows = await model.classify(TEXTS.map((text) => text.replace(' film', '\r\nfilm\n')));
    expect(rounded(rows)[1]).toEqual(expected);
    expect(rows.map((row) => row[1]! > row[0]!)).toEqual(TEXTS.map((text) => text.includes('good')));
  });

  test('a line that is no answer is the fault of its text; a line too many of the program', async () => {
    const model = await yaml(
      { lines: true, labels: ['neg', 'pos'] },
      `${LINES} { console.log(line === 'odd' ? '???' : 'pos'); if (line === 'two') console.log('pos'); }`,
    );
    const ends = await Promise.allSettled(['a', 'odd', 'b'].map((text) => model.classify([text])));
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await model.classify(['two']);
    await refusal(model.classify(['next']), 'PLUGIN_DAMAGED');
  });
});

describe('a program that ends', () => {
  const dies = (when: string) =>
    speaking(`if (${when}) process.kill(process.pid, 'SIGKILL');
    say({ id: q.id, scores: q.texts.map(classify) });`);

  test('is started again, and no text is lost', async () => {
    const model = await load(node(dies('asked % 4 === 0')), { remote: {} });
    const module = await load(join(folder({ 'victim.mjs': MODULE }), 'victim.mjs'));
    for (let at = 0; at < 10; at++) {
      const texts = TEXTS.map((text) => `${text} ${at}`);
      expect(await model.classify(texts)).toEqual(await module.classify(texts));
    }
    expect(model.remote?.usage().repeated).toBeGreaterThan(5);
  });

  test('each time it is asked is given up, with what it wrote', async () => {
    const code =
      speaking(`if (q.texts[0] === 'now') { for (let at = 0; at < 20; at++) console.error('line', at); process.exit(3); }
      say({ id: q.id, scores: q.texts.map(classify) });`);
    const model = await load(node(code));
    await refusal(model.classify(['now']), 'MODEL_CRASHED');
  });

  test('while nothing is asked is started with the next question', async () => {
    const model = await load(
      node(speaking('say({ id: q.id, scores: q.texts.map(classify) }); if (asked === 4) process.exit(0);')),
    );
    await model.classify(['good']);
    await new Promise((resolve) => setTimeout(resolve, lasting(50)));
    expect((await model.classify(['bad']))[0]?.[0]).toBeGreaterThan(0.5);
  });
});

describe('nothing of it stays', () => {
  /** A program with a child that ignores everything, which says their pids. */
  const family = (rest: string) => {
    const cwd = folder();
    const code =
      speaking(`if (asked === 1) { const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'], { stdio: 'inherit' });
      writeFileSync(${JSON.stringify(join(cwd, 'pids'))}, process.pid + ' ' + child.pid); }
      ${rest} say({ id: q.id, scores: q.texts.map(classify) });`);
    writeFileSync(join(cwd, 'victim.mjs'), code);
    return { spec: node('', '', cwd), pids: () => readFileSync(join(cwd, 'pids'), 'utf8').split(' ').map(Number) };
  };
  const gone = (pids: readonly number[]) => until(() => !pids.some(runs), lasting(3000));

  test('when it is closed', async () => {
    const { spec, pids } = family('');
    const model = await load(spec);
    expect(pids().map(runs)).toEqual([true, true]);
    await model.close();
    expect(await gone(pids())).toBe(true);
  });

  test('when it does not answer in time', async () => {
    const { spec, pids } = family("if (q.texts.includes('silence')) continue;");
    const model = await load(spec, { patience: { seconds: lasting(0.5) } });
    const error = await model.classify(['silence']).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'MODEL_UNREACHABLE' });
    expect(await gone(pids())).toBe(true);
  });
});

describe('refused with what was expected, what came, and what to do', () => {
  const broken = (answer: string) => node(speaking(`{ id: q.id, ${answer} }`));
  test.each([
    ['a program that does not exist', 'cmd:no-such-program-at-all x', 'MODEL_NOT_FOUND'],
    ['nothing', 'cmd:', 'ADDRESS_INVALID'],
    ['an open quote', "cmd:python3 'victim.py", 'ADDRESS_INVALID'],
    ['a pipe', 'cmd:cat x | wc', 'ADDRESS_INVALID'],
    ['a file that is not there', 'cmd:nowhere.yaml', 'MODEL_NOT_FOUND'],
    [
      'it ends at once',
      node("console.error('Traceback:'); console.error('  no model'); process.exit(1);"),
      'MODEL_CRASHED',
    ],
    ['another version', node(speaking(undefined, { ...HELLO, robust: 2 })), 'PLUGIN_DAMAGED'],
    ['no labels', node(speaking(undefined, { robust: 1, scores: 'probabilities' })), 'PLUGIN_DAMAGED'],
    ['one label', node(speaking(undefined, { ...HELLO, labels: ['a'] })), 'PLUGIN_DAMAGED'],
    ['a label twice', node(speaking(undefined, { ...HELLO, labels: ['a', 'a'] })), 'PLUGIN_DAMAGED'],
    ['a kind of scores', node(speaking(undefined, { ...HELLO, scores: 'percent' })), 'PLUGIN_DAMAGED'],
    ['three scores', broken('scores: q.texts.map(() => [0.1, 0.2, 0.7])'), 'PLUGIN_DAMAGED'],
    ['too few rows', broken('scores: []'), 'PLUGIN_DAMAGED'],
    ['percent', broken('scores: q.texts.map(() => [10, 90])'), 'TEXT_UNSUPPORTED'],
    ['no numbers', broken('scores: q.texts.map(() => [null, 1])'), 'TEXT_UNSUPPORTED'],
    ['an unknown label', broken("labels: q.texts.map(() => 'maybe')"), 'PLUGIN_DAMAGED'],
    ['an answer to nobody', node(speaking('{ id: q.id + 1000, scores: q.texts.map(classify) }')), 'PLUGIN_DAMAGED'],
    ['an error', broken("error: 'NameError: x', where: 'victim.py:12'"), 'TEXT_UNSUPPORTED'],
    ['an error that may pass', broken("error: 'loading', retry: true"), 'MODEL_UNREACHABLE'],
    ['spans without --task tags', node(speaking('', { robust: 1, labels: ['A'], task: 'tags' })), 'TASK_MISMATCH'],
    [
      'a program in the file of an endpoint',
      described({ protocol: 'cmd', url: 'cmd:true', program: { command: ['true'] } }).replace('cmd:', 'http:'),
      'MANIFEST_INVALID',
    ],
    ['a key', described({ command: ['true'], lable: ['a', 'b'] }), 'MANIFEST_INVALID'],
    ['a file without a command', described({ each: true, labels: ['a', 'b'] }), 'MANIFEST_INVALID'],
    ['both ways', described({ command: ['true'], each: true, lines: true, labels: ['a', 'b'] }), 'MANIFEST_INVALID'],
    ['no labels in a file', described({ command: ['true'], lines: true }), 'MANIFEST_INVALID'],
    [
      'a pattern',
      described({ command: ['true'], each: true, labels: ['a', 'b'], stdout: '(?<label>\\w+' }),
      'MANIFEST_INVALID',
    ],
    [
      'a pattern without groups',
      described({ command: ['true'], each: true, labels: ['a', 'b'], stdout: '\\w+' }),
      'MANIFEST_INVALID',
    ],
    ['scores beside a first line', described({ command: ['true'], scores: 'logits' }), 'MANIFEST_INVALID'],
    [
      'an unknown exit code',
      described({ command: ['false'], each: true, exit: { 0: 'a', 5: 'b' } }),
      'TEXT_UNSUPPORTED',
    ],
  ])('%s', async (_, spec, code) => {
    await refusal(load(spec), code);
  });

  test('no first line', async () => {
    const silent = { command: ['node', 'victim.mjs'], start: lasting(0.3) };
    const code = "console.log('Loading the model'); setInterval(() => {}, 1000);";
    const error = await load(described(silent, { 'victim.mjs': code })).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'PLUGIN_DAMAGED', message: expect.stringContaining('Loading the model') });
  });

  test('an error about one text is that text’s', async () => {
    const model = await load(
      node(
        speaking(
          "say(q.texts.includes('odd') ? { id: q.id, error: 'ValueError: odd' } : { id: q.id, scores: q.texts.map(classify) });",
        ),
      ),
    );
    const ends = await Promise.allSettled(['a', 'odd', 'b'].map((text) => model.classify([text])));
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  test('its secrets are in no message', async () => {
    const code = "console.error('denied: ' + process.env.VICTIM_TOKEN); process.exit(1);";
    const spec = described({ command: ['node', 'victim.mjs'], env: ['VICTIM_TOKEN'] }, { 'victim.mjs': code });
    const error = await load(spec).catch((thrown: unknown) => thrown as Error);
    expect(String((error as Error).message)).toContain('denied: ***');
  });
});

test('a changed answer is an error in words, or an answer', async () => {
  const code = speaking(`const [, written] = /^SAY (.*)/.exec(q.texts[0]) ?? [];
    if (written !== undefined) process.stdout.write(Buffer.from(written, 'base64').toString().replaceAll('ID', q.id) + '\\n');
    say({ id: q.id, scores: q.texts.map(classify) });`);
  const cwd = folder({ 'victim.mjs': code });
  const right = '{"id":ID,"scores":[[0.25,0.75]]}';
  const place = fc.nat(right.length - 1);
  const piece = fc.constantFrom(
    '[',
    ']',
    '{',
    '}',
    ',',
    '"',
    '-',
    '1e999',
    'null',
    'NaN',
    '\n',
    '0',
    '[[',
    '\\',
    '\u0000',
    ':{}',
  );
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom([[0.25]], [[1, 2, 3]], [[90, 10]], [], {}, 'x', [['a', 'b']]),
  );
  const key = fc.constantFrom('scores', 'labels', 'spans', 'redacted', 'gradients', 'table', 'error', 'retry', 'id');
  const mutated = fc.oneof(
    fc.tuple(place, fc.nat(6), piece).map(([at, length, put]) => right.slice(0, at) + put + right.slice(at + length)),
    fc.tuple(key, value).map(([name, what]) => `{"id":ID,${JSON.stringify(name)}:${JSON.stringify(what)}}`),
    fc.tuple(key, value, value).map(([name, what, id]) => JSON.stringify({ id, [name]: what })),
    fc.constantFrom(
      `${right}\n${right}`,
      right.slice(0, -1),
      '',
      '{}',
      'null',
      '"x"',
      '[1]',
      '\ufeff{"id":ID,"scores":[[0,1]]}',
    ),
  );
  let model: LoadedModel | undefined;
  await fc.assert(
    fc.asyncProperty(mutated, fc.nat(), async (said, salt) => {
      model ??= await load(node('', '', cwd), { cacheEntries: 0 });
      try {
        const [row] = await model.classify([`SAY ${Buffer.from(said).toString('base64')}`]);
        expect(row).toHaveLength(2);
        expect(row?.every((p) => p >= 0 && p <= 1)).toBe(true);
        // Whatever was said, the next text gets its own answer.
        expect(rounded(await model.classify([`good ${salt}`]))[0]?.[1]).toBeGreaterThan(0.5);
      } catch (error) {
        expect(error).toBeInstanceOf(RobustError);
        expect((error as RobustError).exit).not.toBe(70);
        await model.close();
        model = undefined;
      }
    }),
    { numRuns: tries(1000) },
  );
  await model?.close();
});

test('a program with gradients is a white box, as a module is', async () => {
  const inside = `
const words = ['?', 'good', 'bad', 'film', 'the', 'is', 'not', 'so', 'and'];
const hidden = 3;
const table = Float32Array.from({ length: words.length * hidden }, (_, i) => Math.sin(3 * i + 1));
const w = [0.7, -0.4, 0.9];
const tokens = (text) => Array.from(text.matchAll(/\\w+/g), (m) => ({ id: Math.max(0, words.indexOf(m[0])), start: m.index, end: m.index + m[0].length, special: false }));
const rows = (text) => Float32Array.from(tokens(text).flatMap(({ id }) => [...table.subarray(id * hidden, (id + 1) * hidden)]));
const forward = (e) => 1 / (1 + Math.exp(-e.reduce((sum, value, i) => sum + Math.tanh(value) * w[i % hidden], 0)));
const scores = (text) => { const p = forward(rows(text)); return [1 - p, p]; };
const gradient = (e, label) => { const p = forward(e); return label === null ? { probabilities: [1 - p, p] } : {
  probabilities: [1 - p, p], loss: -Math.log(label === 1 ? p : 1 - p), values: Float32Array.from(e, (value, i) => (p - label) * w[i % hidden] * (1 - Math.tanh(value) ** 2)) }; };`;
  const module = `${inside}
export default { labels: ['bad', 'good'], classify: async (texts) => texts.map(scores), hidden, tokens, embeddingTable: () => table, tokenText: (id) => words[id],
  gradients: async (questions) => questions.map(({ embeddings, label = null }) => gradient(embeddings, label)) };`;
  const program = speaking(
    `${inside}
const base64 = (f) => f && Buffer.from(f.buffer, f.byteOffset, f.byteLength).toString('base64');
const floats = (s) => new Float32Array(new Uint8Array(Buffer.from(s, 'base64')).buffer);
const told = (e, label) => { const { values, ...rest } = gradient(e, label); return { ...rest, embeddings: base64(e), values: base64(values) }; };
if (q.table) say({ id: q.id, table: { rows: words.length, width: hidden, values: base64(table), pieces: words } });
else if (q.gradients?.texts) say({ id: q.id, gradients: q.gradients.texts.map((t, i) => ({ tokens: tokens(t), ...told(rows(t), q.gradients.labels[i]) })) });
else if (q.gradients) say({ id: q.id, gradients: q.gradients.embeddings.map((e, i) => told(floats(e), q.gradients.labels[i])) });
else say({ id: q.id, scores: q.texts.map(scores) });`,
    { ...HELLO, labels: ['bad', 'good'], gradients: true },
  );
  const [ours, theirs] = await Promise.all(
    [node(program), join(folder({ 'inside.mjs': module }), 'inside.mjs')].map(async (spec) =>
      openWhiteBox(await load(spec)),
    ),
  );
  for (const text of ['the film is good', 'so bad and not good', 'unknown words'])
    for (const label of [0, 1]) expect(await ours!.gradient(text, label)).toEqual(await theirs!.gradient(text, label));
  expect(await ours!.embeddingTable()).toEqual(await theirs!.embeddingTable());
  expect(ours!.tokenText(1)).toBe('good');
  const wrong = speaking(
    "say(q.table ? { id: q.id, table: { rows: 2, width: 2, values: '' } } : { id: q.id, scores: q.texts.map(classify) });",
    { ...HELLO, gradients: true },
  );
  await refusal(openWhiteBox(await load(node(wrong))), 'PLUGIN_DAMAGED');
});

test('words are split as a shell splits them', async () => {
  const words = (spec: string) => {
    const address = addressIn(spec);
    return address?.kind === 'program' && 'words' in address.command ? address.command.words : address;
  };
  expect(words('cmd:python3 victim.py')).toEqual(['python3', 'victim.py']);
  expect(words(`CMD: a 'b c'"d \\" e"\\ f '' "\\n"`)).toEqual(['a', 'b cd " e f', '', '\\n']);
  expect(words("cmd:sh -c 'a | b > c'")).toEqual(['sh', '-c', 'a | b > c']);
  expect(words('cmd:serve config.yaml')).toEqual(['serve', 'config.yaml']);
  expect(addressIn('cmd:victim.yaml')).toEqual({ kind: 'program', command: { path: 'victim.yaml' } });
  // A word may be longer than any name of a file.
  const long = `cmd:node --input-type=module -e "${speaking().replaceAll(/["\\$`]/g, '\\$&')}"`;
  expect((await load(long)).name).toBe('node');
});
