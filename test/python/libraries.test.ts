/** python/robust_text.py in front of real libraries: scikit-learn, and torch with transformers. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { UnsupportedOpError } from '../../src/core/errors.js';
import { openWhiteBox } from '../../src/gradient/white-box/white-box.js';
import { loadModel } from '../../src/model/load.js';
import { absent } from '../attacks/peer.js';
import { folder, robust } from '../commands/cli.js';
import { goldens } from '../model/goldens.js';
import { both, outcomes, python as peers } from './peer.js';
import { environment, pythonWith, robustText, serve, spoken } from './pythons.js';

const learn = pythonWith('sklearn');
const FIT = `
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import Perceptron, Ridge
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from robust_text import serve
texts = ["good film", "fine film", "bad film", "awful film", "odd film"]
def fitted(estimator, labels):
    return make_pipeline(CountVectorizer(), estimator).fit(texts[:len(labels)], labels)
`;

describe.skipIf(learn === undefined)('scikit-learn (needs python3-sklearn)', () => {
  const THREE = '["pos", "pos", "neg", "neg", "odd"]';
  const TWO = '[1, 1, 0, 0]';
  test.each<[what: string, estimator: string, labels: string, hello: object, scores: unknown]>([
    ['probabilities', 'MultinomialNB()', THREE, { labels: ['neg', 'odd', 'pos'], scores: 'probabilities' }, 3],
    ['margins of three classes', 'LinearSVC()', THREE, { labels: ['neg', 'odd', 'pos'], scores: 'logits' }, 3],
    ['the margin of two classes', 'Perceptron()', TWO, { labels: ['0', '1'], scores: 'logits' }, 2],
    [
      'labels alone',
      'VotingClassifier([("bayes", MultinomialNB())])',
      THREE,
      { labels: ['neg', 'odd', 'pos'] },
      undefined,
    ],
    ['a number', 'Ridge()', '[1.0, 1.0, 0.0, 0.0, 0.5]', { labels: ['value'], task: 'regression' }, 1],
  ])('%s', (_, estimator, labels, hello, columns) => {
    const code = `${FIT}serve(fitted(${estimator}, ${labels}))`;
    const [first, second] = spoken(serve(code, [{ texts: ['good', 'bad'] }], { python: learn as string }));
    expect(first).toMatchObject(hello);
    const rows = second?.scores as number[][] | undefined;
    if (rows === undefined) return expect(second).toMatchObject({ labels: ['pos', 'neg'] });
    expect(rows.map((row) => row.length)).toEqual([columns, columns]);
    // The last class is that of "good".
    expect(rows[0]?.at(-1)).toBeGreaterThan(rows[1]?.at(-1) as number);
  });
});

const torch = pythonWith('torch', 'transformers');
/** transformers 5 leaves out the token types of XLNet, which the model was made with. */
const models = goldens.filter(
  ({ name, task, folder }) =>
    task === 'single' && name !== 'xlnet' && readdirSync(folder).includes('model.safetensors'),
);

const MODULE = `
import sys
from robust_text import serve
from transformers import AutoModelForSequenceClassification, AutoTokenizer
home = sys.argv[1]
serve(AutoModelForSequenceClassification.from_pretrained(home), tokenizer=AutoTokenizer.from_pretrained(home))
`;

const PIPELINES = `
import sys
import torch
from robust_text import serve
from transformers import AutoModelForSequenceClassification, AutoModelForTokenClassification, AutoTokenizer, pipeline
home, *tags = sys.argv[1:]
tokenizer = AutoTokenizer.from_pretrained(home)
if tags:
    names = {"id2label": {0: "O", 1: "B-NAME", 2: "I-NAME"}, "label2id": {"O": 0, "B-NAME": 1, "I-NAME": 2}}
    model = AutoModelForTokenClassification.from_pretrained(home, **names)
    torch.nn.init.zeros_(model.classifier.weight)
    model.classifier.bias.data = torch.tensor([0.0, 5.0, 0.0])
    serve(pipeline("token-classification", model=model, tokenizer=tokenizer))
else:
    model = AutoModelForSequenceClassification.from_pretrained(home)
    serve(pipeline("text-classification", model=model, tokenizer=tokenizer), labels=["bad", "so", "good"])
`;

interface Piece {
  readonly probabilities: readonly number[];
  readonly loss: number;
  readonly values: string;
  readonly tokens: readonly { readonly id: number }[];
}

const floats = (base64: string): readonly number[] => {
  const bytes = Buffer.from(base64, 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(4 * at));
};

const apart = (one: ArrayLike<number>, other: ArrayLike<number>): number =>
  Array.from(one).reduce((most, value, at) => Math.max(most, Math.abs(value - (other[at] ?? Number.NaN))), 0);

describe.skipIf(torch === undefined || models.length === 0)(
  'a torch module and its conversion (needs torch and transformers, and ../shared)',
  () => {
    let served: string;
    beforeAll(() => {
      const requests = folder();
      served = folder();
      for (const { folder: home, cases } of models) {
        const texts = cases.filter(({ name }) => name.startsWith('single')).map((one) => one.texts[0]);
        const gradients = texts.map((text, at) => ({ gradients: { texts: [text], labels: [at % 3] } }));
        const lines = [{ texts }, ...gradients, { table: true }].map(
          (one, id) => `${JSON.stringify({ id, ...one })}\n`,
        );
        writeFileSync(join(requests, basename(home)), lines.join(''));
      }
      const words = [join(import.meta.dirname, 'served.py'), requests, served, ...models.map((each) => each.folder)];
      const { status, stderr } = spawnSync(torch as string, words, { encoding: 'utf8', env: environment() });
      expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
    });

    let differentiated = 0;
    test.each(models.map((each) => [each.name, each] as const))(
      '%s: within 1e-5',
      async (name, { folder: home, cases }) => {
        const [hello, answer, ...others] = readFileSync(join(served, name), 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line));
        const table = others.pop();
        // Without its exports, so that it is converted here.
        const checkpoint = folder();
        for (const file of readdirSync(home).filter((each) => !/onnx|golden/.test(each)))
          copyFileSync(join(home, file), join(checkpoint, file));
        const model = await loadModel(checkpoint);
        const texts = cases.filter((one) => one.name.startsWith('single')).map((one) => one.texts[0] as string);
        expect(hello.labels).toEqual(model.labels);
        for (const [at, row] of (await model.classify(texts)).entries())
          expect(apart(row, answer.scores[at])).toBeLessThan(1e-5);
        if (hello.gradients) {
          try {
            const box = await openWhiteBox(model);
            expect(apart(await box.embeddingTable(), floats(table.table.values))).toBeLessThan(1e-6);
            for (const [at, text] of texts.entries()) {
              const [piece] = others[at].gradients as [Piece];
              const { tokens, loss, values } = await box.gradient(text, at % 3);
              expect(piece.tokens.map(({ id }) => id)).toEqual(tokens.map(({ id }) => id));
              expect(Math.abs(loss - piece.loss)).toBeLessThan(1e-5);
              expect(apart(values, floats(piece.values))).toBeLessThan(1e-5);
            }
            differentiated++;
            await box.close();
          } catch (error) {
            if (!(error instanceof UnsupportedOpError)) throw error;
          }
        }
        await model.close();
      },
    );

    test('most have gradients on both sides', () => expect(differentiated).toBeGreaterThan(12));

    test('a pipeline answers as its model, and tags spans in code points', () => {
      const {
        folder: home,
        name,
        cases,
      } = models.find((each) => each.name === 'distilbert') as (typeof models)[number];
      const texts = cases.filter((one) => one.name.startsWith('single')).map((one) => one.texts[0] as string);
      const words = ['victim.py', home];
      const [hello, answer = {}] = spoken(serve(PIPELINES, [{ texts }], { python: torch as string, words }));
      const [, own] = readFileSync(join(served, name), 'utf8')
        .split('\n')
        .map((line) => line && JSON.parse(line));
      expect(hello).toMatchObject({ labels: ['bad', 'so', 'good'], scores: 'probabilities' });
      for (const [at, row] of (answer.scores as number[][]).entries())
        expect(apart(row, own.scores[at])).toBeLessThan(1e-5);
      const tagging = serve(PIPELINES, [{ texts: ['A 😀 fine film'] }], {
        python: torch as string,
        words: [...words, 'tags'],
      });
      const [first, tagged = {}] = spoken(tagging);
      expect(first).toMatchObject({ task: 'tags', labels: ['NAME'], offsets: 'code points' });
      const [spans] = tagged.spans as [{ start: number; end: number }[]];
      // Its head has learnt nothing: every piece is one entity, and what ends the text has its last place.
      expect(spans.at(-1)).toEqual({ start: expect.any(Number), end: 13, type: 'NAME', score: expect.any(Number) });
    });

    test('attacks by gradients find the same texts with the same queries', async () => {
      const { folder: home } = models.find(({ name }) => name === 'distilbert') as (typeof models)[number];
      const files = readdirSync(home).filter((each) => !/onnx|golden/.test(each));
      const texts = ['A fine film.', 'The acting is wooden.', 'I would watch it again.', 'It is dull and naive.'];
      const cwd = folder({
        'dev.tsv': `text\tlabel\n${texts.flatMap((text) => ['negative', 'neutral', 'positive'].map((label) => `${text}\t${label}\n`)).join('')}`,
        'victim.py': MODULE,
        'robust_text.py': readFileSync(robustText, 'utf8'),
        ...Object.fromEntries(files.map((file) => [`model/${file}`, readFileSync(join(home, file))])),
      });
      const by = [
        '-a',
        'fgsm',
        '-a',
        'hotflip',
        '--transformation',
        'deepwordbug',
        '--search',
        'greedy:ranking=gradient',
      ];
      const found = async (model: string) => {
        const { stdout } = await robust(['attack', '-m', model, '-d', 'dev.tsv', ...by, '-n', '0', '--json'], { cwd });
        const { result, error } = JSON.parse(stdout);
        expect(error).toBeUndefined();
        return result.examples.map(({ id, attack, status, adversarial, queries }: Record<string, unknown>) => ({ id, attack, status, adversarial, queries })); // biome-ignore format: one line
      };
      const here = await found('./model');
      expect(here.filter(({ status }: { status: string }) => status === 'succeeded').length).toBeGreaterThan(3);
      expect(await found(`cmd:${torch} victim.py model`)).toEqual(here);
    });
  },
);

test.skipIf(peers === undefined || absent)(
  "TextAttack's victim in Python: outcomes, texts and queries as here (needs onnxruntime, which comes beside torch, and ../shared)",
  async () => {
    const { here, there } = await both('input-reduction', 15, { places: 'moving', maxLeft: 1 });
    expect(outcomes(there)).toEqual(outcomes(here));
  },
);

const installer = pythonWith('pip', 'setuptools', 'torch');

test.skipIf(installer === undefined)(
  'pip installs the folder (needs torch, which comes with a current setuptools)',
  () => {
    const home = folder();
    cpSync(dirname(robustText), join(home, 'python'), { recursive: true });
    const flags = '--no-index --no-deps --no-build-isolation --quiet --target';
    const words = ['-m', 'pip', 'install', ...flags.split(' '), join(home, 'site'), join(home, 'python')];
    const { status, stderr } = spawnSync(installer as string, words, { cwd: home, encoding: 'utf8' });
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
    const env = { ...process.env, PYTHONPATH: join(home, 'site') };
    const code = 'import robust_text; print(robust_text.__file__)';
    const found = spawnSync(installer as string, ['-c', code], { cwd: home, encoding: 'utf8', env });
    expect(found.stdout.trim()).toBe(join(home, 'site', 'robust_text.py'));
  },
);
