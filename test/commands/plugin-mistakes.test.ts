/** The same mistake ends with the same exit code, whatever the kind of the plugin. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type PluginKind, pluginKinds } from '../../src/app/plugins/kinds.js';
import { folder, robust, robustProcess, toy } from './cli.js';

const word = (at: number): string => String.fromCharCode(97 + (at % 20), 97 + Math.floor(at / 20)).repeat(3);
const rows = Array.from({ length: 40 }, (_, at) => `A ${at % 2 ? 'good' : 'dull'} film, ${word(at)}.\t${at % 2}`);
const attack = ['attack', '-m', toy, '-d', 'data.tsv', '-n', '2'];
const one = [...attack, '-a', 'deepwordbug'];

/** How a plugin is named, and one that there is with a number among its options. */
const KINDS: Readonly<Record<PluginKind, { readonly args: (spec: string) => string[]; readonly known?: string }>> = {
  attack: { args: (spec) => [...attack, '-a', spec], known: 'deepwordbug:max-edits' },
  transformation: { args: (spec) => [...attack, '--transformation', spec], known: 'swap-synonyms:limit' },
  constraint: { args: (spec) => [...one, '--constraint', spec], known: 'max-words:most' },
  search: { args: (spec) => [...attack, '--transformation', 'swap-synonyms', '--search', spec], known: 'beam:width' },
  goal: { args: (spec) => [...one, '--goal', spec], known: 'untargeted:confidence' },
  poisoner: {
    args: (spec) => ['backdoor', 'plant', '-m', 'bert-mini', '-d', 'data.tsv', '-o', 'out', '--attack', spec],
    known: 'badnets:insertions',
  },
  defence: { args: (spec) => [...one, '--defend', spec], known: 'ranmask:rate' },
  dataset: { args: (spec) => ['attack', '-m', toy, '-n', '2', '-a', 'deepwordbug', '-d', spec] },
  victim: { args: (spec) => ['attack', '-d', 'data.tsv', '-n', '2', '-a', 'deepwordbug', '-m', spec] },
  reporter: { args: (spec) => [...one, '-o', 'x.own', '--reporter', spec] },
  language: { args: (spec) => [...one, '--language', spec] },
};

/** A module of each kind of mistake. */
const FILES = {
  'data.tsv': `text\tlabel\n${rows.join('\n')}\n`,
  'nothing.mjs': 'export const a = 1;',
  'throws.mjs': 'throw new Error("boom");',
  'broken.mjs': 'export default {',
  'number.mjs': 'export default 3;',
  'reporter.mjs': "export default { kind: 'reporter', name: 'own', summary: 's', extension: 'own', render: () => '' };",
  'language.mjs': "export default { code: 'xx', name: 'X', tokenize: () => [] };",
};

/** Mistake -> what is named, and the exit code. */
const MISTAKES: readonly (readonly [string, (kind: PluginKind) => string | undefined, number])[] = [
  ['an unknown name', () => 'nosuchthing', 2],
  ['an unknown option', (kind) => KINDS[kind].known && `${KINDS[kind].known.split(':')[0]}:nonsense=1`, 2],
  ['an option of the wrong type', (kind) => KINDS[kind].known && `${KINDS[kind].known}=many`, 2],
  ['a missing file', () => './missing.mjs', 2],
  ['a missing package', () => 'robust-nothing-here', 2],
  ['a module without a default export', () => './nothing.mjs', 3],
  ['a module that throws', () => './throws.mjs', 3],
  ['a module with a syntax error', () => './broken.mjs', 3],
  ['a module that exports something else', () => './number.mjs', 3],
  ['a plugin of another kind', (kind) => (kind === 'reporter' ? './language.mjs' : './reporter.mjs'), 3],
];

let cwd: string;
beforeAll(async () => {
  cwd = folder(FILES);
  await robust(['attack', '-m', toy, '-d', 'data.tsv', '-a', 'deepwordbug', '-q'], { cwd });
});

test('every kind of plugin is here', () => expect(Object.keys(KINDS).sort()).toEqual([...pluginKinds].sort()));

const cases = MISTAKES.flatMap(([mistake, of, exit]) =>
  pluginKinds.flatMap((kind) => {
    const spec = of(kind);
    return spec === undefined ? [] : [{ mistake, kind, spec, exit }];
  }),
);

test.each(cases)('$mistake for $kind, $spec: $exit', async ({ kind, spec, exit }) => {
  const ended = await robust([...KINDS[kind].args(spec), '--json'], { cwd });
  const { error } = JSON.parse(ended.stdout);
  expect({ code: ended.code, exit: error?.exit, hint: error?.hint }).toEqual({
    code: exit,
    exit,
    hint: expect.any(String),
  });
  // It is this mistake that is reported, not another of the command line.
  expect(`${error.message} ${error.hint}`).toContain((spec.split(':')[0] as string).replace(/^\.\//, ''));
});

const z = "import { z } from 'robust-text/plugin';";
const made = (kind: string, members: string): string =>
  `${z} export default { kind: '${kind}', name: 'k', summary: 's', options: z.strictObject({}), create: () => (${members}),
    level: 'word', needs: 'scores' };`;
const part = (kind: string, members: string): string =>
  `import { ${kind}, swapWords } from 'robust-text/plugin'; export default ${kind}({ name: 'k', summary: 's', create: () => (${members}) });`;

/** A plugin of each kind of which one member does `fault` instead of its work, and the exit code: 4 where an attack broke on every text. */
const BROKEN: { readonly [K in PluginKind]: readonly [code: (fault: string) => string, exit: number] } = {
  attack: [(fault) => made('evasion', `{ constraints: [], run: ${fault} }`), 4],
  transformation: [(fault) => part('transformation', `swapWords('x', ${fault})`), 4],
  constraint: [(fault) => part('constraint', `{ name: 'x', accepts: ${fault} }`), 4],
  search: [(fault) => part('search', `{ name: 'x', search: ${fault} }`), 4],
  goal: [(fault) => made('goal', `{ name: 'x', score: () => 0, reached: ${fault} }`), 3],
  poisoner: [
    (fault) => made('poison', `{ triggers: [], planting: { kind: 'texts' }, decoy() {}, trigger: ${fault} }`),
    3,
  ],
  defence: [(fault) => made('defence', `{ conditions: 'x', rewrite: ${fault} }`), 3],
  dataset: [(fault) => made('dataset', `{ rows: ${fault} }`), 3],
  victim: [(fault) => `export default { labels: ['negative', 'positive'], classify: ${fault} };`, 3],
  reporter: [
    (fault) => `export default { kind: 'reporter', name: 'k', summary: 's', extension: 'own', render: ${fault} };`,
    3,
  ],
  language: [
    (fault) =>
      `export default { code: 'xx', name: 'X', letters: ['a'], keyboard: { neighbours: () => [] }, tokenize: ${fault} };`,
    3,
  ],
};

const FAULTS = [
  ['throws', "() => { throw new Error('boom'); }"],
  ['throws no error', "() => { throw 'boom'; }"],
  ['rejects', "() => Promise.reject(new Error('boom'))"],
  ['throws later', "() => { setTimeout(() => { throw new Error('boom'); }); return new Promise(() => {}); }"],
] as const;

test.each(
  pluginKinds.flatMap((kind) =>
    FAULTS.slice(0, kind === 'transformation' ? 2 : 3).map(([what, fault]) => ({ kind, what, fault })),
  ),
)('$kind: code that $what is no defect of robust', async ({ kind, fault }) => {
  const [code, exit] = BROKEN[kind];
  const name = `${kind}-broken-${FAULTS.findIndex(([, each]) => each === fault)}.mjs`;
  writeFileSync(join(cwd, name), code(fault));
  const ended = await robust([...KINDS[kind].args(`./${name}`), '--json'], { cwd });
  const { error, warnings } = JSON.parse(ended.stdout);
  const said = error?.message ?? warnings.join();
  expect({ code: ended.code, error: error?.code }, said).toEqual({
    code: exit,
    error: exit === 3 ? 'PLUGIN_DAMAGED' : undefined,
  });
  expect(said).toContain(name);
  if (fault.includes('throw new Error')) expect(said).toMatch(new RegExp(`boom \\(.*${name}:\\d+:\\d+\\)`));
});

test.each(['victim', 'dataset'] as const)('%s: what it throws later is no defect of robust', async (kind) => {
  // Rows that never come are iterated over; answers that never come are awaited.
  const never = 'new Promise(() => {})';
  const iterable = `{ [Symbol.asyncIterator]: () => ({ next: () => ${never} }) }`;
  const fault = kind === 'victim' ? FAULTS[3][1] : FAULTS[3][1].replace(never, iterable);
  const home = folder({ 'data.tsv': FILES['data.tsv'], 'late.mjs': BROKEN[kind][0](fault) });
  const ended = await robustProcess([...KINDS[kind].args('./late.mjs'), '--json'], { cwd: home });
  expect(JSON.parse(ended.stdout).error).toMatchObject({
    code: 'PLUGIN_DAMAGED',
    message: expect.stringMatching(/late.mjs.*boom/),
  });
  expect(ended.code).toBe(3);
});

test.each([
  ["console.log('x')", ['evaluate', '-m', './prints.mjs', '-d', 'data.tsv']],
  ["console.table(['x'])", ['attack', '-m', './prints.mjs', '-d', 'data.tsv', '-a', 'deepwordbug', '-n', '2']],
  [
    "process.stdout.write('x\\n')",
    ['compare', './prints.mjs', './other.mjs', '-d', 'data.tsv', '-a', 'pruthi', '-n', '2'],
  ],
  ["console.info('x')", ['explain', '-m', './prints.mjs', 'A good film']],
  ["console.log('x')", ['gate', '-m', './prints.mjs', '-d', 'data.tsv', '--require', 'clean.accuracy >= 1 %']],
])('what a module prints is no part of the result, and bears its name: %s in %s', async (print, args) => {
  const code = BROKEN.victim[0](`async (texts) => { ${print}; return texts.map((text) => [0.2, 0.8]); }`);
  const home = folder({ 'data.tsv': FILES['data.tsv'], 'prints.mjs': code, 'other.mjs': code });
  const { stdout, stderr } = await robustProcess([...args, '--json'], { cwd: home, stdout: join(home, 'out') });
  expect(JSON.parse(stdout || readFileSync(join(home, 'out'), 'utf8'))).toMatchObject({ command: args[0] });
  expect(stderr).toMatch(/prints\.mjs: .*x/);
});
