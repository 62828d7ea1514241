/** The same mistake ends with the same exit code, whatever the kind of the plugin. */
import { beforeAll, expect, test } from 'vitest';
import { type PluginKind, pluginKinds } from '../../src/app/plugins/kinds.js';
import { folder, robust, toy } from './cli.js';

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
  ['an unknown name', () => 'nosuchthing', 3],
  ['an unknown option', (kind) => KINDS[kind].known && `${KINDS[kind].known.split(':')[0]}:nonsense=1`, 2],
  ['an option of the wrong type', (kind) => KINDS[kind].known && `${KINDS[kind].known}=many`, 2],
  ['a missing file', () => './missing.mjs', 3],
  ['a missing package', () => 'robust-nothing-here', 3],
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
