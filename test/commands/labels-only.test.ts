/** A filter of ten lines, 0 or 1, under the suites and the gate. */
import { expect, test } from 'vitest';
import { suites } from '../../attacks/index.js';
import { folder, robust } from './cli.js';

const FILTER = `
const LIST = ['idiot', 'moron', 'wazzock'];
export default {
  labels: ['clean', 'rude'],
  classify: async (texts) =>
    texts.map((text) => {
      const words = text.toLowerCase().split(/[^\\p{L}]+/u);
      return LIST.some((word) => words.includes(word)) ? [0, 1] : [1, 0];
    }),
};
`;
const PEOPLE = ['my neighbour', 'the new manager', 'this referee', 'your brother', 'the driver'];
const rude = (name: string) => PEOPLE.map((who, at) => `they said that ${who} is a ${name} after match ${at}\trude`);
const CLEAN = PEOPLE.map((who, at) => `they said that ${who} was very kind after match ${at}\tclean`);
const table = (rows: readonly string[]) => `text\tlabel\n${rows.join('\n')}\n`;
const NAMES = ['typos', 'chars', 'words', 'guardrail', 'encodings'];

test('every attack of the suites runs on it, and the disguises get past it', async () => {
  const cwd = folder({ 'filter.mjs': FILTER, 'data.tsv': table([...rude('idiot'), ...CLEAN]) });
  const chosen = NAMES.flatMap((suite) => ['-s', suite]);
  const { code, stdout } = await robust(['attack', '-m', './filter.mjs', '-d', 'data.tsv', ...chosen, '--json'], {
    cwd,
  });
  expect(code).toBe(0);
  const { attacks, suites: rates, leftOut, clean } = JSON.parse(stdout).result;
  expect(leftOut).toBeUndefined();
  expect(clean.scores).toBe('labels');
  const listed = suites.filter(({ name }) => NAMES.includes(name)).flatMap(({ attacks: names }) => names);
  expect(attacks.map(({ name }: { name: string }) => name)).toHaveLength(new Set(listed).size);
  for (const each of attacks) expect(each.errored).toBe(0);
  const rate = (suite: string) => rates.find(({ name }: { name: string }) => name === suite).attackSuccessRate.value;
  for (const suite of ['typos', 'chars']) expect(rate(suite)).toBeGreaterThanOrEqual(0.5);
});

test('no gate passes because an attack on words cannot touch what decides', async () => {
  const names = Array.from({ length: 6 }, () => rude('wazzock')).flat();
  const rows = [...names, ...CLEAN].map((row, at) => row.replace('match', `match ${at} of`));
  const cwd = folder({ 'filter.mjs': FILTER, 'data.tsv': table(rows) });
  const gate = async (attack: string) =>
    robust(
      [
        ...['gate', '-m', './filter.mjs', '-d', 'data.tsv', '-n', '0', '-a', attack, '--positive', 'rude', '--json'],
        ...['--require', `${attack}.evasionRate <= 0.5`],
      ],
      { cwd },
    );
  for (const attack of ['synonym', 'hard-label']) expect((await gate(attack)).code).toBe(4);
  expect((await gate('deepwordbug')).code).toBe(1);
});
