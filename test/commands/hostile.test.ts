/** Names and values that act on a terminal or command a runner, in every place of the command line where strangers write. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { covered } from '../cover.js';
import { harmIn } from '../reports/harmless.js';
import { INJECTIONS } from '../reports/injections.js';
import { folder, robust, robustProcess, toy } from './cli.js';

/** A line of its own that a runner obeys, a title for the window, a hidden text, another direction. */
const EVIL =
  '\u001B]0;title\u0007\u001B[8mhidden\u202E\n::error::forged\n\u00A0::error::blank ##[error]older ##vso[task.complete]x';
const name = EVIL.replaceAll('/', '|');

const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const rows = [...INJECTIONS, EVIL].map(
  (text, at) => `${cell(`A good film. ${text}`)},${at % 2 ? 'negative' : 'positive'}`,
);
const csv = `text,label\n${rows.join('\n')}\n`;

const COLOURS = /\p{Cc}\[(?:[0124]|22|24|3\d|39|4[0-79]|9\d|[34]8;[\d;]+)m/gu;

/** A folder in which all that can have a name has an evil one. */
function home(): string {
  const cwd = folder({
    'data.csv': csv,
    [`${name}.csv`]: csv,
    [`${name}.yaml`]: `model: ${JSON.stringify(EVIL)}\nseed: 1\n`,
    'typo.yaml': `${JSON.stringify(EVIL)}: 1\n`,
    'label.csv': `text,label\n${cell('A good film.')},${cell(EVIL)}\n`,
    'column.csv': `${cell(EVIL)},x\na,b\n`,
    'throws.mjs': `throw new Error(${JSON.stringify(EVIL)}, { cause: new Error(${JSON.stringify(EVIL)}) });\n`,
    'answers.mjs': `export default { labels: ['a', 'b'], async classify() { console.log(${JSON.stringify(EVIL)}); console.error(${JSON.stringify(EVIL)}); throw new Error(${JSON.stringify(EVIL)}); } };\n`,
    'labels.mjs': `export default { labels: ['negative', ${JSON.stringify(EVIL)}], async classify(t) { return t.map((x) => Float32Array.from(/good/.test(x) ? [.2, .8] : [.8, .2])); } };\n`,
    [`${name}.json`]: '{',
  });
  copyFileSync(toy, join(cwd, `${name}.mjs`));
  return cwd;
}

const some = ['-n', '6', '-a', 'case-flip'];
const cases: readonly (readonly [string, readonly string[]])[] = [
  ['attack', ['attack', '-m', `./${name}.mjs`, '-d', `./${name}.csv`, ...some, '-o', `${name}.md`]],
  ['attack with its corpus', ['attack', '-m', toy, '-d', 'data.csv', '-n', '0', '-a', 'case-flip']],
  ['attack, verbose', ['attack', '-m', 'labels.mjs', '-d', 'data.csv', '-v', ...some]],
  ['attack, failing', ['attack', '-m', 'answers.mjs', '-d', 'data.csv', '-v', ...some]],
  ['attack, no model', ['attack', '-m', EVIL, '-d', 'data.csv']],
  ['attack, thrown', ['attack', '-m', './throws.mjs', '-d', 'data.csv', '-v']],
  ['attack, no data', ['attack', '-m', toy, '-d', EVIL]],
  ['attack, no label', ['attack', '-m', toy, '-d', 'label.csv']],
  ['attack, no column', ['attack', '-m', toy, '-d', 'column.csv', '--columns', `text=${EVIL}`]],
  ['attack, no attack', ['attack', '-m', toy, '-a', EVIL]],
  ['attack, no option', ['attack', '-m', toy, '-a', `pruthi:${EVIL}=1`]],
  ['attack, no output', ['attack', '-m', toy, '-o', EVIL]],
  ['a flag', ['attack', `--${EVIL}`]],
  ['a command', [EVIL]],
  ['a topic', ['help', EVIL]],
  ['evaluate', ['evaluate', '-m', 'labels.mjs', '-d', `./${name}.csv`, '-n', '6']],
  ['explain', ['explain', '-m', 'labels.mjs', `good ${EVIL}`]],
  ['compare', ['compare', './labels.mjs', `./${name}.mjs`, '-d', `./${name}.csv`, ...some]],
  [
    'gate',
    [
      'gate',
      '-m',
      'labels.mjs',
      '-d',
      'data.csv',
      ...some,
      '--require',
      'overall.attackSuccessRate <= 0',
      '--ci',
      'value',
    ],
  ],
  ['gate, no requirement', ['gate', '--require', EVIL]],
  ['gate, no run', ['gate', EVIL]],
  ['report', ['report', EVIL]],
  ['report, no report', ['report', `./${name}.json`]],
  ['augment', ['augment', '-d', `./${name}.csv`, '-a', 'case-flip', '-o', `${name}.tsv`]],
  ['filter', ['backdoor', 'filter', '-d', `./${name}.csv`, '--clean', 'data.csv']],
  ['scan', ['backdoor', 'scan', '-m', EVIL]],
  ['train', ['train', '--data', EVIL, '-o', 'm']],
  ['list', ['list', EVIL]],
  ['config show', ['config', 'show', '-c', `${name}.yaml`]],
  ['config show, unknown key', ['config', 'show', '-c', 'typo.yaml']],
  ['doctor', ['doctor', '-c', `${name}.yaml`]],
  ['baseline', ['baseline', 'save', EVIL, '-o', `${name}.json`]],
];

/** Cases that end outside a command, or with output by others, run as a process: there bin/run.js guards the streams. */
const APART = ['attack', 'attack, failing', 'attack, thrown', 'a flag', 'a command', 'gate'];

test.each(covered(cases, 0, 2))('%s prints nothing that acts', async (kind, args) => {
  const carryOut = APART.includes(kind) ? robustProcess : robust;
  const { code, stdout, stderr } = await carryOut(args, {
    cwd: home(),
    env: { FORCE_COLOR: '1', GITHUB_ACTIONS: 'true' },
  });
  expect([0, 1, 2, 3, 4]).toContain(code);
  const token = /^::stop-commands::(robust-\S+)\n/.exec(stderr)?.[1];
  expect(token).toBeDefined();
  expect(stderr.endsWith(`\n::${token}::\n`)).toBe(true);
  const meant = (line: string): boolean => line.includes(`::${token}`) || /^::\w+ title=Robustness gate/.test(line);
  const rest = stderr.split('\n').filter((line) => !meant(line));
  // Our own colours act, and may.
  for (const text of [stdout, rest.join('\n')]) expect(harmIn(text.replace(COLOURS, ''))).toBeUndefined();
});

test.each(covered(cases, 1, 2))('--json of %s is one document', async (_, args) => {
  const { stdout } = await robust([...args, '--json'], { cwd: home() });
  expect(JSON.parse(stdout)).toHaveProperty('ok');
  expect(harmIn(stdout)).toBeUndefined();
});

test('annotations that are meant are obeyed, between the halves of what is not', async () => {
  const cwd = home();
  const { stderr } = await robustProcess(
    [
      'gate',
      '-m',
      toy,
      '-d',
      'data.csv',
      '-n',
      '40',
      '-a',
      'case-flip',
      '--require',
      'overall.attackSuccessRate <= 0',
      '--ci',
      'value',
    ],
    { cwd, env: { GITHUB_ACTIONS: 'true' } },
  );
  const token = /^::stop-commands::(robust-\S+)\n/.exec(stderr)?.[1];
  expect(stderr).toContain(`::${token}::\n::error title=Robustness gate`);
  expect(stderr.split(`::stop-commands::${token}\n`)).toHaveLength(3);
});
