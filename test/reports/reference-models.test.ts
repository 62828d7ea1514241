/** Reference models: their figures fit the format and this version, and a range never appears without a comparable reference. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chalk } from 'chalk';
import { describe, expect, test } from 'vitest';
import { fileFormats, terminal } from '../../reports/index.js';
import {
  identityOf,
  isComparable,
  letterOf,
  referenceModels,
  referenceRange,
  referenceRates,
  referenceSchema,
} from '../../reports/reference-models.js';
import { toolVersion } from '../../src/app/context.js';
import type { AttackMetrics } from '../../src/core/attack-metrics.js';
import { packageRoot } from '../../src/core/package-root.js';
import { wilson } from '../../src/core/stats.js';
import type { Outcome, Report } from '../../src/plugin.js';
import { folder, robust } from '../commands/cli.js';
import { attack, report, text } from './fixture.js';

interface Result {
  readonly model: { readonly sha256: string };
  readonly attacks: readonly AttackMetrics[];
  readonly examples: readonly Outcome[];
}

async function resultOf(line: string): Promise<Result> {
  const { code, stdout, stderr } = await robust([...line.split(' '), '--json', '--force'], { cwd: folder() });
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout).result;
}

describe('the figures that we ship', () => {
  const reference = referenceModels();
  const renew = 'renew them: npm run bench dist/bench/reference-models.js FOLDER DATA';

  test('have an outcome of each attack for each example on each model', () => {
    const { models, data, attacks } = reference;
    for (const [name, { outcomes }] of Object.entries(attacks)) {
      expect(
        outcomes.map((row) => row.length),
        name,
      ).toEqual(models.map(() => data.examples));
    }
    // An example that a model misclassifies is misclassified whatever the attack.
    for (const at of models.keys()) {
      const skipped = Object.values(attacks).map(({ outcomes }) => outcomes[at]?.replaceAll(/[01]/g, '-'));
      expect(new Set(skipped).size).toBe(1);
    }
  });

  test('are of this version, these bundled models and these attacks', async () => {
    expect(reference.toolVersion, renew).toBe(toolVersion);
    const bundled = reference.models.filter(({ recipe }) => recipe === 'bundled');
    expect(bundled.length).toBeGreaterThan(2);
    const attacks = Object.keys(reference.attacks).flatMap((name) => ['-a', name]);
    for (const { name, sha256 } of bundled) {
      const result = await resultOf(`attack --model ${name} --data reviews -n 1 ${attacks.slice(0, 2).join(' ')}`);
      expect(result.model.sha256, renew).toBe(sha256);
    }
    const { attacks: ours } = await resultOf(`attack --model char-bilstm --data reviews -n 1 ${attacks.join(' ')}`);
    expect(Object.fromEntries(ours.map((each) => [each.name, identityOf(each)])), renew).toEqual(
      Object.fromEntries(Object.entries(reference.attacks).map(([name, { identity }]) => [name, identity])),
    );
  });

  const data = join(packageRoot, '..', 'shared', 'data', 'sst2', 'test.tsv');
  test.skipIf(!existsSync(data))('come out again', async () => {
    const { examples } = await resultOf(
      `attack --model bert-mini --data ${data} --label-map 0=NEGATIVE --label-map 1=POSITIVE -n ${reference.data.examples} --seed ${reference.seed} -a deepwordbug -a word-deletion`,
    );
    for (const name of ['deepwordbug', 'word-deletion']) {
      const letters = examples.filter((each) => each.attack === name).map(letterOf);
      expect(letters.join(''), `${name}; ${renew}`).toBe(reference.attacks[name]?.outcomes[0]);
    }
  });
});

const a = attack('a', 14, 3, { options: { maxEdits: 30, ranking: 'unk' } });
const b = attack('b', 17, 0);
const small = referenceSchema.parse({
  about: 'for this test',
  command: 'none',
  toolVersion: '0.1.0',
  measured: '2026-01-01',
  task: 'sentiment',
  labels: ['NEGATIVE', 'POSITIVE'],
  data: { name: 'd', sha256: '0', examples: 4 },
  seed: 1,
  longestText: 20,
  models: ['x', 'y', 'z'].map((name) => ({ name, sha256: '0', recipe: 'bundled' })),
  attacks: {
    a: { identity: identityOf(a), outcomes: ['1100', '10ss', '1111'] },
    b: { identity: identityOf(b), outcomes: ['0010', '01ss', '0000'] },
  },
});

const provenance = {
  ...{ created: '', hardware: '', platform: '', versions: {}, config: null, settings: {} },
  fingerprint: { model: 'm', seed: 7, queryBudget: null, goal: 'untargeted', constraints: [] },
};
const [success] = report().closest as [Outcome];
const enough = { ...report().overall, attackSuccessRate: wilson(30, 40) };
const comparable = (rest: Partial<Report> = {}): Report =>
  report({ provenance, overall: enough, closest: [{ ...success, words: 20 }], attacks: [a, b], ...rest });
const under = (fact: object): Partial<Report> => ({
  provenance: { ...provenance, fingerprint: { ...provenance.fingerprint, ...fact } },
});
const { model } = report();

test('the range of one attack, and of two together, from the lowest to the highest model', () => {
  expect(isComparable(comparable(), small)).toBe(true);
  expect(referenceRange(comparable(), [a], small)).toBe('50-100 %');
  expect(referenceRange(comparable(), [b], small)).toBe('0-50 %');
  expect(referenceRange(comparable(), [a, b], small)).toBe('75-100 %');
  const same = { ...small, attacks: { a: { identity: identityOf(a), outcomes: ['10', '01', '1ss0'] } } };
  expect(referenceRange(comparable(), [a], same)).toBe('50 %');
});

test.each<[string, Partial<Report>]>([
  ['another version', { toolVersion: '0.0.9' }],
  ['other labels', { model: { ...model, labels: ['ham', 'spam'] } }],
  ['a third label', { model: { ...model, labels: ['negative', 'neutral', 'positive'] } }],
  ['a detector', { model: { ...model, decision: { kind: 'threshold', positive: 1, value: 0.5 } as never } }],
  ['too few examples', { overall: { ...enough, attackSuccessRate: wilson(20, 29) } }],
  ['a run that was cut short', { partial: [{ attack: 'a', done: 1, of: 2 }] as never }],
  ['longer texts', { closest: [{ ...success, words: 21 }] }],
  ['texts of unknown length', { closest: [] }],
  ['a query budget', under({ queryBudget: 50 })],
  ['a goal', under({ goal: 'targeted:1' })],
  ['a constraint of the run', under({ constraints: ['similarity'] })],
  ['another language', under({ language: 'fr' })],
  ['a condition that is new', under({ invented: true })],
])('no range for %s', (_, rest) => {
  expect(referenceRange(comparable(rest), [a], small)).toBeUndefined();
});

test('no range for an attack of other options, other constraints or another name, alone or among others', () => {
  const options = { ...a, options: { maxEdits: 3, ranking: 'unk' } };
  const constraints = { ...a, constraints: ['at most 3 edits'] };
  const ordered = { ...a, options: { ranking: 'unk', maxEdits: 30 } };
  expect(referenceRange(comparable(), [ordered], small)).toBe('50-100 %');
  for (const other of [options, constraints, { ...a, name: 'c' }, { ...a, name: 'constructor' }]) {
    expect(referenceRange(comparable(), [other], small)).toBeUndefined();
    expect(referenceRange(comparable(), [b, other], small)).toBeUndefined();
  }
  expect(referenceRange(comparable(), [], small)).toBeUndefined();
});

test('a run beside the models that we ship: terminal, Markdown and HTML show the range, and only where there is one', async () => {
  const cwd = folder();
  const run = (options: string) =>
    robust(`attack --model bert-mini --data reviews -n 40 ${options} -o r.md -o r.html`.split(' '), { cwd });
  const rates = referenceRates(['deepwordbug']).map((rate) => Math.round(100 * rate));
  const range = `${Math.min(...rates)}-${Math.max(...rates)} %`;
  const read = (file: string): string => readFileSync(join(cwd, file), 'utf8');
  const { stdout } = await run('-a deepwordbug');
  expect(stdout.replace(/\s+/g, ' ')).toContain(`; reference models: ${range}`);
  expect(stdout.replace(/\s+/g, ' ')).toContain(`SST-2 test, n = ${referenceModels().data.examples}): bert-mini,`);
  for (const file of ['r.md', 'r.html']) expect(read(file)).toContain(range);
  const { stdout: other } = await run('-a deepwordbug:max-edits=3');
  for (const shown of [other, read('r.md'), read('r.html')]) {
    expect(shown).not.toMatch(/reference\s+models/i);
  }
});

test('no document of an incomparable report names reference models', async () => {
  const formats = [terminal({ width: 80, chalk: new Chalk({ level: 0 }) }), ...fileFormats];
  for (const format of formats) expect(await text(format.render(report()))).not.toMatch(/reference\s+models/i);
});
