/** python/robust_text.py as a program: what functions may answer, and that nothing but answers reaches robust. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { robustText, serve, source, spoken } from './pythons.js';

test('it is Python 3.9, and imports the standard library alone', () => {
  const check = `
import ast, sys
tree = ast.parse(sys.stdin.read(), feature_version=(3, 9))
top = [name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names]
print(sorted(set(top) - set(sys.stdlib_module_names)))`;
  const { stdout, stderr } = spawnSync('python3', ['-c', check], { input: source(), encoding: 'utf8' });
  // torch is that of the user who serves a module of it.
  expect({ stdout: stdout.trim(), stderr }).toEqual({ stdout: "['torch']", stderr: '' });
});

const found = ['python3', ...[9, 10, 11, 12, 13].map((minor) => `python3.${minor}`)].filter(
  (python) => spawnSync(python, ['-c', '']).status === 0,
);

test(`it serves on every Python here: ${found}`, () => {
  const code = 'from robust_text import serve\nserve(lambda texts: [[0.25, 0.75] for _ in texts], labels=["a", "b"])';
  for (const python of found)
    expect(spoken(serve(code, [{ texts: ['x'] }], { python })), python).toEqual([
      { robust: 1, labels: ['a', 'b'], scores: 'probabilities', offsets: 'code points' },
      { id: 0, scores: [[0.25, 0.75]] },
    ]);
});

test('what the program and its children print goes to stderr, and input finds nothing', () => {
  const code = `
import robust_text, os, sys
print("at import")
os.system("echo a child")
def classify(texts):
    print("in classify")
    os.write(1, b"by its number\\n")
    sys.__stdout__.write("by its first name\\n")
    if texts == ["reads"]:
        input()
    return [[0.5, 0.5] for _ in texts]
robust_text.serve(classify, labels=["a", "b"])`;
  const served = serve(code, [{ texts: ['x'] }, { texts: ['reads'] }, { texts: ['y'] }]);
  expect(spoken(served)).toEqual([
    expect.objectContaining({ robust: 1 }),
    { id: 0, scores: [[0.5, 0.5]] },
    { id: 1, error: expect.stringContaining('EOFError'), retry: false, where: 'victim.py:10' },
    { id: 2, scores: [[0.5, 0.5]] },
  ]);
  for (const line of ['at import', 'a child', 'in classify', 'by its number', 'by its first name'])
    expect(served.stderr).toContain(line);
});

const answering = (answer: string, options: string): string =>
  `from robust_text import serve\nserve(lambda texts: [${answer} for text in texts], ${options})`;
const AB = 'labels=["a", "b"]';

test.each<[what: string, answer: string, options: string, hello: object, members: object]>([
  ['rows', '(0.25, 0.75)', AB, { scores: 'probabilities' }, { scores: [[0.25, 0.75]] }],
  ['rows without names', '[0.25, 0.5, 0.25]', '', { labels: ['LABEL_0', 'LABEL_1', 'LABEL_2'] }, {}],
  ['logits', '[-3, 3]', `${AB}, scores="logits"`, { scores: 'logits' }, { scores: [[-3, 3]] }],
  ['one number, of the second label', '0.75', AB, {}, { scores: [[0.25, 0.75]] }],
  ['dicts', '{"b": 0.75, "a": 0.25}', '', { labels: ['b', 'a'] }, { scores: [[0.75, 0.25]] }],
  ['dicts in another order', '{"b": 0.75, "a": 0.25}', AB, {}, { scores: [[0.25, 0.75]] }],
  ['the first of two', '{"label": "a", "score": 0.75}', AB, {}, { scores: [[0.75, 0.25]] }],
  ['labels', '"b"', AB, { scores: 'labels' }, { labels: ['b'] }],
  ['numbers of labels', '1', AB, { scores: 'labels' }, { labels: ['b'] }],
  ['labels that are numbers', '1', 'labels=[1, 0]', { labels: ['1', '0'] }, { labels: ['1'] }],
  ['a number', '3.5', 'task="regression"', { labels: ['value'], task: 'regression' }, { scores: [[3.5]] }],
  [
    'spans',
    '[{"start": 0, "end": len(text), "type": "NAME"}]',
    'labels=["NAME"]',
    { task: 'tags', offsets: 'code points' },
    { spans: [[{ start: 0, end: 2, type: 'NAME' }]] },
  ],
  ['texts', 'text.upper()', 'task="redact"', { task: 'redact', labels: ['REDACTED'] }, { redacted: ['N😀'] }],
  ['a detector', '[0.5, 0.5]', `${AB}, positive="b", threshold=0.7`, { positive: 'b', threshold: 0.7 }, {}],
])('a function may answer %s', (_, answer, options, hello, members) => {
  const [first, second] = spoken(serve(answering(answer, options), [{ texts: ['n😀'] }]));
  expect(first).toMatchObject(hello);
  expect(second).toMatchObject({ id: 0, ...members });
});

test('pairs are tuples, and a function may take one text a call', () => {
  const code = answering('[len(text[0]), len(text[1])]', `${AB}, scores="logits", pairs=True`);
  const [hello, answer] = spoken(serve(code, [{ texts: [['abc', 'de']] }]));
  expect(hello).toMatchObject({ pairs: true });
  expect(answer).toMatchObject({ scores: [[3, 2]] });
  const each = `from robust_text import serve\nserve(lambda text: [len(text), 1], ${AB}, scores="logits", each=True)`;
  expect(spoken(serve(each, [{ texts: ['abc', 'd'] }]))[1]).toMatchObject({
    scores: [
      [3, 1],
      [1, 1],
    ],
  });
});

const FAILING = `
from robust_text import serve
from json import loads
def look(text):
    return {"known": [0.5, 0.5], "few": [1.0], "unlike": [float("nan"), 0.5]}[text]
def classify(texts):
    if "exit" in texts: raise SystemExit(3)
    if "later" in texts: raise ConnectionError("no route")
    if "json" in texts: return loads("{")
    if "none" in texts: return []
    return [[0.5, 0.5] if text.startswith("This") else look(text) for text in texts]
serve(classify, labels=["a", "b"])`;

test.each<[text: string, error: RegExp, where: string, retry: boolean]>([
  ['unheard', /^KeyError: 'unheard'/, 'victim.py:5', false],
  // The innermost line that is the user's; else the call of serve.
  ['json', /^JSONDecodeError/, 'victim.py:9', false],
  ['exit', /^SystemExit: 3/, 'victim.py:7', false],
  ['later', /^ConnectionError: no route/, 'victim.py:8', true],
  ['none', /^ValueError: .*1 answers.*got 0/, 'victim.py:12', false],
  ['few', /^ValueError: .*got \[1.0\]/, 'victim.py:12', false],
  ['unlike', /^ValueError: .*nan/, 'victim.py:12', false],
])('of the text "%s" it answers what was raised, and goes on', (text, error, where, retry) => {
  const [, failed, next] = spoken(serve(FAILING, [{ texts: [text] }, { texts: ['known'] }]));
  expect(failed).toEqual({ id: 0, error: expect.stringMatching(error), retry, where });
  expect(next).toMatchObject({ scores: [[0.5, 0.5]] });
});

test.each([
  ['a label without names', answering('"b"', ''), /^ValueError: .*labels=/, 1],
  ['a function that fails', answering('1 / 0', AB), /^ZeroDivisionError/, 1],
  ['no classifier', 'from robust_text import serve\nserve(42)', /^TypeError: .*int/, 1],
])('%s: its first line says why it cannot start', (_, code, error, status) => {
  const served = serve(code, [{ texts: ['x'] }]);
  expect(spoken(served)).toEqual([
    { robust: 1, error: expect.stringMatching(error), retry: false, where: expect.stringMatching(/^victim\.py:\d/) },
  ]);
  expect(served.status).toBe(status);
});

const PLAIN = `
print("loading")
from robust_text import serve
def classify(texts):
    print("asked")
    return [{"a": 0.25, "b": 0.75} for _ in texts]`;

test.each([
  ['a file', [robustText, 'victim.py:classify']],
  ['a module', ['-m', 'robust_text', 'victim:classify']],
])('a function of %s is served as it is, whatever its file prints', (_, words) => {
  const served = serve(PLAIN, [{ texts: ['x'] }], { words: [...words, '--labels', 'b,a', '--positive', 'b'] });
  expect(spoken(served)).toEqual([
    expect.objectContaining({ labels: ['b', 'a'], positive: 'b' }),
    { id: 0, scores: [[0.75, 0.25]] },
  ]);
  expect(served.stderr).toContain('loading');
});
