/**
 * @file Measures the reference models of reports/reference-models.ts and writes reports/data/reference-models.json.
 *
 *     npm run bench dist/bench/reference-models.js FOLDER DATA
 *
 * FOLDER takes the trained models and the runs; a model that it already has is not trained again. DATA is the folder of the data, with
 * sst2/train-sentences.tsv, sst2/dev.tsv and sst2/test.tsv (docs/research/data.md). About half an hour on two cores.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { identityOf, letterOf, type ReferenceModels, referenceSchema } from '../reports/reference-models.js';
import { attack } from '../src/app/attack.js';
import { toolVersion } from '../src/app/context.js';
import { train } from '../src/app/train.js';
import { packageRoot } from '../src/core/package-root.js';
import { writeWhole } from '../src/files/write.js';
import type { Report } from '../src/plugin.js';

/** Not `gradients`: one of the models reads characters, so these attacks find no words to insert. */
const SUITES = ['typos', 'chars', 'sentences'];
const ATTACKS = ['word-deletion', 'word-insertion', 'checklist'];
const EXAMPLES = 100;
const SEED = 42;
const LABELS = ['NEGATIVE', 'POSITIVE'] as const;
const LABEL_MAP = { 0: LABELS[0], 1: LABELS[1] };
const BUNDLED = ['bert-mini', 'distilbert', 'char-bilstm'];
/** Trained here on the whole sentences of SST-2: architecture and epochs, as in docs/research/standard.md. */
const TRAINED = {
  'word-cnn': 3,
  bilstm: 2,
} as const;
type Trained = keyof typeof TRAINED;

const [folder, given] = process.argv.slice(2);
if (folder === undefined || given === undefined) throw new Error('usage: reference-models.js FOLDER DATA');
const sst2 = resolve(given, 'sst2');
mkdirSync(folder, { recursive: true });
process.chdir(folder);
const print = (line: string) => process.stdout.write(`${line}\n`);

for (const arch of Object.keys(TRAINED) as Trained[]) {
  if (existsSync(join(arch, 'model.onnx'))) continue;
  await train({
    data: [join(sst2, 'train-sentences.tsv')],
    validation: join(sst2, 'dev.tsv'),
    labelMap: LABEL_MAP,
    ...{ arch, dim: 64, embeddingDropout: 0.3, dropout: 0.5 },
    ...{ epochs: TRAINED[arch], lr: 1e-3, seed: 7, output: arch },
  });
}

const measured: Pick<ReferenceModels, 'models' | 'attacks'> = { models: [], attacks: {} };
let data: ReferenceModels['data'] | undefined;
let longestText = 0;
for (const name of [...BUNDLED, ...Object.keys(TRAINED)]) {
  const epochs = (TRAINED as Readonly<Record<string, number>>)[name];
  const begun = performance.now();
  const report = await attack({
    model: epochs ? `./${name}` : name,
    data: join(sst2, 'test.tsv'),
    labelMap: LABEL_MAP,
    numExamples: EXAMPLES,
    seed: SEED,
    suites: SUITES,
    attacks: ATTACKS,
  });
  const recipe = epochs
    ? `robust train --arch ${name}:dim=64:embedding-dropout=0.3:dropout=0.5 --epochs ${epochs} --lr 1e-3 --seed 7`
    : 'bundled';
  measured.models.push({ name, sha256: report.model.sha256, recipe });
  data = { name: 'SST-2 test', sha256: report.data.sha256, examples: report.data.examples };
  longestText = Math.max(longestText, await addOutcomes(report));
  print(`${name}: ${((performance.now() - begun) / 60_000).toFixed(1)} minutes`);
}

/** Adds the letters of a model; returns the number of words of its longest text. */
async function addOutcomes({ attacks, examples }: Report): Promise<number> {
  const letters = new Map(
    attacks.filter(({ ownGoal }) => !ownGoal).map(({ name }) => [name, new Map<string, string>()]),
  );
  const ids = new Set<string>();
  let longest = 0;
  for await (const { attack: name, id, words, status } of examples) {
    ids.add(id);
    longest = Math.max(longest, words);
    const letter = letterOf({ status });
    if (letter === undefined) throw new Error(`${name}: example ${id} ended in an error`);
    letters.get(name)?.set(id, letter);
  }
  for (const one of attacks) {
    const row = letters.get(one.name);
    if (row === undefined) continue;
    measured.attacks[one.name] ??= { identity: identityOf(one), outcomes: [] };
    measured.attacks[one.name]?.outcomes.push([...ids].map((id) => row.get(id)).join(''));
  }
  return longest;
}

const file = referenceSchema.parse({
  about:
    'Outcomes of the attacks on each reference model, a letter for each example in order: 1 flipped, 0 not flipped, s misclassified without an edit. Written by bench/reference-models.ts.',
  command: 'npm run bench dist/bench/reference-models.js FOLDER DATA',
  toolVersion,
  measured: new Date().toISOString().slice(0, 10),
  task: 'sentiment of English sentences',
  labels: LABELS,
  data,
  seed: SEED,
  longestText,
  ...measured,
} satisfies Record<keyof ReferenceModels, unknown>);
writeWhole(
  join(packageRoot, 'reports', 'data', 'reference-models.json'),
  `${JSON.stringify(file, null, 1)}\n`,
  'the reference models',
);
