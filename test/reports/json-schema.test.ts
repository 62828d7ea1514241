/** The shipped schema of our JSON document: what we write is valid, what is wrong is not, and nothing goes undescribed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { jsonOf } from '../../reports/index.js';
import { reportJsonSchema } from '../../src/app/runs/report-schema.js';
import { failureDocument } from '../../src/commands/_shared/failure.js';
import { packageRoot } from '../../src/core/package-root.js';
import type { Report } from '../../src/plugin.js';
import { folder, robust, toy } from '../commands/cli.js';
import { everything } from './everything.js';
import { report, text } from './fixture.js';
import { hostileReport } from './hostile.js';
import { meaningOf } from './schema-meaning.js';

const schema = JSON.parse(readFileSync(join(packageRoot, 'schemas', 'report.schema.json'), 'utf8'));
const valid = new Ajv2020({ strict: true, strictRequired: false, allErrors: true, allowUnionTypes: true }).compile(
  schema,
);

test('the published schema is the one of the declarations', () => {
  // npm run build writes it.
  expect(schema).toEqual(JSON.parse(JSON.stringify(reportJsonSchema())));
});

test('what the published schema demands changes only on purpose', async () => {
  await expect(`${meaningOf(schema).join('\n')}\n`).toMatchFileSnapshot('snapshots/report-schema.txt');
});

const document = async (of: Report) => JSON.parse(await text(jsonOf('attack').render(of)));

describe('is valid', () => {
  test.each([
    ['a run', report()],
    ['a run of nothing', report({ attacks: [], suites: [], closest: [] })],
    ['everything', everything],
    ['hostile texts', hostileReport(5)],
  ])('%s', async (_, of) => {
    valid(await document(of));
    expect(valid.errors).toBeNull();
  });

  test('a failure', () => {
    valid(JSON.parse(failureDocument('attack', { code: 'MODEL_DAMAGED', message: 'm', hint: 'h', exit: 3 }, [])));
    expect(valid.errors).toBeNull();
  });
});

test.each<[string, (of: Awaited<ReturnType<typeof document>>) => void]>([
  ['another version', (of) => Object.assign(of, { schemaVersion: 2 })],
  ['success without a result', (of) => delete of.result],
  ['failure without an error', (of) => Object.assign(of, { ok: false })],
  ['a rate above one', (of) => Object.assign(of.result.attacks[0].attackSuccessRate, { value: 1.2 })],
  ['a rate without its n', (of) => delete of.result.clean.accuracy.n],
  ['an unknown verdict', (of) => Object.assign(of.result, { verdict: 'maybe' })],
  ['an unknown status', (of) => Object.assign(of.result.examples[0], { status: 'lost' })],
])('%s is not valid', async (_, spoil) => {
  const of = await document(everything);
  spoil(of);
  expect(valid(of)).toBe(false);
});

test('a value of another type is not valid, wherever it stands', async () => {
  const original = await document(everything);
  const free = /^result\.(attacks\.0\.options|provenance\.fingerprint|provenance\.settings\.seed\.value)./;
  const accepted = pathsIn(original)
    .filter((path) => !free.test(`${path.join('.')}.`))
    .filter((path) => {
      const spoilt = structuredClone(original);
      const parent = path.slice(0, -1).reduce((at, key) => at[key], spoilt);
      const last = path.at(-1) as string;
      parent[last] = Array.isArray(parent[last]) || typeof parent[last] !== 'object' ? { wrong: true } : ['wrong'];
      return valid(spoilt);
    });
  expect(accepted.map((path) => path.join('.'))).toEqual([]);
});

/** Types of every property and element within. */
function pathsIn(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => [[key], ...pathsIn(each).map((path) => [key, ...path])]);
}

type Schema = { $ref?: string; properties?: Record<string, Schema>; items?: Schema };

/** Paths of what the schema says nothing about. */
function undescribed(value: unknown, schemaOf: Schema | undefined, path: string): string[] {
  const known =
    schemaOf?.$ref === undefined ? schemaOf : (schema.$defs[schemaOf.$ref.replace('#/$defs/', '')] as Schema);
  if (known === undefined) return [path];
  if (Array.isArray(value)) return value.flatMap((each) => undescribed(each, known.items, `${path}[]`));
  // Without properties it is an object of any: options, details.
  if (typeof value !== 'object' || value === null || known.properties === undefined) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    undescribed(each, known.properties?.[name], `${path}.${name}`),
  );
}

test('says something of every property there can be', async () => {
  expect(undescribed(await document(everything), schema, '')).toEqual([]);
});

test('a run with everything the command line can ask for at once is valid and described', async () => {
  const cwd = folder({ 'dev.tsv': 'text\tlabel\nA good film.\tpositive\nA dull film.\tnegative\nGood!\tpositive\n' });
  const attacks = ['-s', 'embedding', '-s', 'negation', '-a', 'deepwordbug', '-a', 'synonym', '-a', 'input-reduction'];
  const { code, stdout } = await robust(
    ['attack', '-m', toy, '-d', 'dev.tsv', ...attacks, '--explain', '--defend', 'unicode', '--json', '-q'],
    { cwd },
  );
  expect(code).toBe(0);
  const of = JSON.parse(stdout);
  expect(of.result.explanations).not.toEqual([]);
  expect(Object.keys(of.result)).toEqual(expect.arrayContaining(['undefended', 'leftOut', 'provenance']));
  valid(of);
  expect(valid.errors).toBeNull();
  expect(undescribed(of, schema, '')).toEqual([]);
});
