/** The attacks of suites and names on a victim that does not support every attack. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CheckedDataset } from '../../datasets/index.js';
import { applicableAttacks, withoutLanguage } from '../../src/app/attacks/applicable.js';
import { chooseAttacks } from '../../src/app/attacks/choose-attacks.js';
import { openLanguage } from '../../src/app/language.js';
import { ClosingStack } from '../../src/core/closing-stack.js';
import { english } from '../../src/language/english/index.js';
import type { LoadedModel } from '../../src/model/loaded-model.js';
import type { ComparisonReport } from '../../src/results/comparison/comparison.js';
import { refusal } from '../refusal.js';
import { folder, robust, toy } from './cli.js';

const EMBEDDING = ['fgsm', 'fgm', 'pgd', 'minimal-epsilon'];
const GRADIENTS = ['hotflip', 'universal-trigger', 'a2t'];
const NO_GRAPH =
  'needs gradients: black: expected a local ONNX model, or one of TF.js, for gradients, got one without a graph';
const PAST = 'acts on embeddings, behind what a defence does to texts';

const black: LoadedModel = {
  name: 'black',
  labels: ['no', 'yes'],
  sha256: '',
  paths: [],
  maximumTokens: 512,
  classify: async () => [],
  figures: () => ({
    computed: 0,
    batches: 0,
    meanBatch: 0,
    paddingWaste: 0,
    secondsBusy: 0,
    secondsProcessor: undefined,
    workers: 0,
    truncated: 0,
  }),
  close: async () => {},
};
const dataset: CheckedDataset = {
  name: 'two',
  labels: black.labels,
  size: 0,
  source: { url: '', license: '', sha256: '' },
  async *examples() {
    yield { id: '0', text: 'a good film', label: 1 };
    yield { id: '1', text: 'a dull film', label: 0 };
  },
};
const eight: CheckedDataset = {
  ...dataset,
  async *examples() {
    for (let at = 0; at < 4; at++) for await (const one of dataset.examples()) yield { ...one, id: `${at}.${one.id}` };
  },
};
const bare = { model: black, dataset, language: english, defence: undefined };
const defended = {
  model: black,
  dataset,
  language: english,
  defence: {
    classifier: { labels: black.labels, classify: async () => [] },
    suffix: '+spelling',
    conditions: 'mended',
    fingerprint: '',
    idle: () => [],
  },
};

/** Answers by the word "good": with labels only, or with scores that the words around it move. */
const telling = (row: (text: string) => readonly number[]): LoadedModel => ({
  ...black,
  name: 'telling',
  classify: async (texts) => texts.map((text) => Float32Array.from(row(text))),
});
const labelsOnly = telling((text) => (/good/.test(text) ? [0, 1] : [1, 0]));
const coarse = telling((text) => (/good/.test(text) ? [0.1, 0.9] : [0.9, 0.1]));
const sure = telling((text) => {
  const rest = 1e-6 * (1 + (text.length % 4));
  return /good/.test(text) ? [rest, 1 - rest] : [1 - rest, rest];
});
const saturated = telling((text) => (text.split(' ').length < 3 ? [0.4, 0.6] : /good/.test(text) ? [0, 1] : [1, 0]));
const constant = telling(() => [1, 0]);

describe('a victim that gives labels without scores', () => {
  const asked = async (model: LoadedModel, suites: string[], names: string[]) => {
    const fit = await applicableAttacks(
      await chooseAttacks(suites, names),
      { model, dataset: eight, language: english, defence: undefined },
      'onnx',
      new ClosingStack(),
    );
    return { ...fit, attacks: fit.attacks.map(({ label }) => label) };
  };

  test.each([
    ['0 or 1', labelsOnly],
    ['the same for each label', coarse],
    ['saturated', sure],
  ])('is recognised, and keeps its attacks: scores that are %s', async (_, model) => {
    const { attacks, leftOut, labelsOnly: found } = await asked(model, ['typos', 'words'], ['flip-suffix']);
    expect(attacks).toHaveLength(9);
    expect(leftOut).toEqual([]);
    expect(found).toBe(true);
  });

  test.each([
    ['sure of whole texts and not of halves', saturated],
    ['that answers all with one label, of which nobody can tell', constant],
    ['that answers nothing', black],
  ])('is not assumed: one %s', async (_, model) => {
    expect((await asked(model, [], ['deepwordbug', 'hard-label'])).labelsOnly).toBe(false);
  });
});

test('a language refuses no attack that nobody named: it is left out, or the suites that run are named', async () => {
  const inDutch = async (suites: string[], names: string[]) =>
    withoutLanguage({ attacks: await chooseAttacks(suites, names), leftOut: [] }, await openLanguage('nl'));
  const { attacks, leftOut } = await inDutch(['typos'], ['homoglyphs']);
  expect(attacks.map(({ label }) => label)).toContain('homoglyphs');
  expect(leftOut.length).toBeGreaterThan(0);
  await refusal(inDutch(['synonyms'], []), 'LANGUAGE_UNSUPPORTED');
  await refusal(inDutch([], ['deepwordbug']));
});

test('an attack of the suite standard is left out if the language lacks what one of its stages needs', async () => {
  const { synonyms: _, ...language } = english;
  const chosen = await chooseAttacks(['standard'], []);
  const { attacks, leftOut } = await applicableAttacks(chosen, { ...bare, language }, 'onnx', new ClosingStack());
  expect(attacks.map(({ label }) => label)).not.toContain('standard-words');
  expect(leftOut).toMatchObject([
    { name: 'standard-words', suite: 'standard', reason: 'needs synonyms, which English does not offer' },
  ]);
});

describe('a model without gradients', () => {
  const fitting = async (victim: typeof bare | typeof defended, suites: string[], names: string[]) => {
    const { attacks, leftOut, inside } = await applicableAttacks(
      await chooseAttacks(suites, names),
      victim,
      'onnx',
      new ClosingStack(),
    );
    expect(inside).toBeUndefined();
    const reasons = [...new Set(leftOut.map(({ reason }) => reason))];
    const those = (reason: string) => leftOut.flatMap((one) => (one.reason === reason ? [one.name] : []));
    return { run: attacks.map(({ label }) => label), leftOut: reasons.map((reason) => [reason, those(reason)]) };
  };

  test.each([
    [['typos', 'embedding'], [], [[NO_GRAPH, EMBEDDING]]],
    [['words', 'gradients'], ['human-typos'], [[NO_GRAPH, GRADIENTS.slice(0, 2)]]],
    [['all'], [], [[NO_GRAPH, [...EMBEDDING, ...GRADIENTS]]]],
    [['typos'], [], []],
  ])('%j %j', async (suites, names, leftOut) => {
    const fit = await fitting(bare, suites, names);
    expect(fit.leftOut).toEqual(leftOut);
    const asked = (await chooseAttacks(suites, names)).map(({ label }) => label);
    expect([...fit.run, ...leftOut.flatMap(([, those]) => those as string[])].sort()).toEqual(asked.sort());
  });

  test('behind a defence: attacks on embeddings have another reason', async () => {
    expect((await fitting(defended, ['all'], [])).leftOut).toEqual([
      [PAST, EMBEDDING],
      [NO_GRAPH, GRADIENTS],
    ]);
  });

  test.each([
    ['by name', bare, [], ['fgsm'], 'GRADIENTS_UNSUPPORTED'],
    ['by name, and by its suite', bare, ['all'], ['hotflip'], 'GRADIENTS_UNSUPPORTED'],
    ['by name with other options', bare, ['all'], ['pgd:steps=3'], 'GRADIENTS_UNSUPPORTED'],
    ['a ranking by gradients', bare, ['typos'], ['textfooler:ranking=gradient'], 'GRADIENTS_UNSUPPORTED'],
    ['a suite of which nothing is left', bare, ['embedding'], [], 'GRADIENTS_UNSUPPORTED'],
    [
      'suites of which nothing is left, and a name',
      bare,
      ['embedding', 'gradients'],
      ['pwws'],
      'GRADIENTS_UNSUPPORTED',
    ],
    ['by name, behind a defence', defended, ['typos'], ['pgd'], 'ATTACK_UNSUPPORTED'],
    ['a suite of which nothing is left, behind a defence', defended, ['embedding'], [], 'ATTACK_UNSUPPORTED'],
  ])('refuses %s', async (_, victim, suites, names, code) => {
    await expect(fitting(victim, suites, names)).rejects.toMatchObject({ code });
  });

  test('what an earlier session left out stays so', async () => {
    const already = [{ name: 'human-typos', suite: 'typos', reason: 'why' }];
    const { attacks, leftOut } = await applicableAttacks(
      await chooseAttacks(['typos'], []),
      bare,
      'onnx',
      new ClosingStack(),
      already,
    );
    expect(attacks.map(({ label }) => label)).not.toContain('human-typos');
    expect(leftOut).toEqual(already);
  });
});

const data = 'text\tlabel\na good film\t1\na dull film\t0\nsuch a good day\t1\nno, thanks\t0\n';
const suites = ['-s', 'negation', '-s', 'embedding'];
const flags = ['--data', 'dev.tsv'];
const LEFT_OUT = /left out: fgsm, fgm, pgd, minimal-epsilon \(needs gradients: toy-classifier: expected a local ONNX/;

describe.concurrent('the command line', () => {
  const home = () => folder({ 'dev.tsv': data });

  test('says what was left out on stderr, in the report and in files, and can be resumed', async () => {
    const cwd = home();
    const { code, stdout, stderr } = await robust(
      ['attack', '-m', toy, ...suites, ...flags, '-o', 'r.json', '-o', 'r.md', '-o', 'r.xml'],
      { cwd },
    );
    expect(code).toBe(0);
    expect(stderr).toMatch(LEFT_OUT);
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(LEFT_OUT);
    // The next steps do not propose the inapplicable suite.
    expect(stdout).not.toMatch(/Next .*embedding/);
    const read = (name: string) => readFileSync(join(cwd, name), 'utf8');
    const { result, warnings } = JSON.parse(read('r.json'));
    expect(result.leftOut.map(({ name }: { name: string }) => name)).toEqual(EMBEDDING);
    expect(warnings.join()).toMatch(LEFT_OUT);
    expect(read('r.md')).toContain('left out: fgsm');
    expect(read('r.xml')).toContain('<skipped message="left out: needs gradients');
    const resumed = await robust(['attack', '--resume', '--json'], { cwd });
    expect(JSON.parse(resumed.stdout).result).toMatchObject({ run: result.run, leftOut: result.leftOut });
  });

  test('compares on what both models were attacked with, and says what was left out', async () => {
    const { code, stdout } = await robust(
      ['compare', 'bert-mini', toy, ...suites, ...flags, '--force', '--json', '-o', 'c.md'],
      { cwd: home() },
    );
    expect(code).toBe(0);
    const report = JSON.parse(stdout).result as ComparisonReport;
    expect(report.attacks.map(({ name }) => name)).toEqual(['negation']);
    expect(report.leftOut?.map(({ name, by }) => [name, by])).toEqual(EMBEDDING.map((name) => [name, 'b']));
  });

  test('a defended model is compared with the bare one on the attacks that were carried out', async () => {
    const { code, stdout } = await robust(
      ['attack', '-m', toy, ...suites, ...flags, '--defend', 'spelling', '--json'],
      { cwd: home() },
    );
    expect(code).toBe(0);
    const { result, warnings } = JSON.parse(stdout);
    const { leftOut, undefended } = result;
    expect(leftOut.map(({ reason }: { reason: string }) => reason)).toEqual(EMBEDDING.map(() => PAST));
    expect(undefended.attacks.map(({ name }: { name: string }) => name)).toEqual(['negation']);
    expect(warnings.join()).toContain(`left out: fgsm, fgm, pgd, minimal-epsilon (${PAST})`);
  });

  test('a gate says what its figures are measured without, and passes nothing that was left out', async () => {
    const cwd = home();
    const overall = ['--require', 'overall.attackSuccessRate >= 0 and <= 1', '--min-examples', '1'];
    const tried = ['-s', 'sentences', '-s', 'embedding'];
    const passed = await robust(['gate', '-m', toy, ...tried, ...flags, ...overall], { cwd });
    expect(passed.code).toBe(0);
    expect(passed.stdout.replaceAll(/\s+/g, ' ')).toContain(
      'without fgsm, fgm, pgd, minimal-epsilon, truncation, left out of the run or not applicable',
    );
    for (const metric of ['embedding.attackSuccessRate', 'fgsm.noise.value']) {
      const open = await robust(['gate', 'latest', '--require', `${metric} >= 0 and <= 1`, '--json'], { cwd });
      const { verdict, thresholds } = JSON.parse(open.stdout).result;
      expect([open.code, verdict]).toEqual([4, 'inconclusive']);
      expect(thresholds[0].reason).toContain('left out: fgsm');
    }
    const unknown = await robust(['gate', 'latest', '--require', 'fgsm.attackSucces <= 1'], { cwd });
    expect(unknown.code).toBe(2);
  });

  test('augment leaves out what it cannot do', async () => {
    const { code, stderr } = await robust(
      ['augment', '-d', 'dev.tsv', '-s', 'gradients', '-s', 'typos', '-o', 'out.tsv'],
      { cwd: home() },
    );
    expect(code).toBe(0);
    expect(stderr).toContain('left out: hotflip, universal-trigger (needs the gradients of a model');
    const none = await robust(['augment', '-d', 'dev.tsv', '-s', 'gradients', '-o', 'out.tsv'], { cwd: home() });
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('hotflip needs the gradients')]);
  });
});
