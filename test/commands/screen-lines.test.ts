/** The output of `robust attack` fits a screen of 80 columns. */
import { expect, test } from 'vitest';
import { folder, robust } from './cli.js';

const WIDTH = 80;

/** Lines on a terminal, which breaks those that are too long. */
const linesOn = (text: string): number =>
  text
    .trimEnd()
    .split('\n')
    .reduce((all, line) => all + Math.max(1, Math.ceil(line.length / WIDTH)), 0);

test.each([
  // `Gate it` saves a baseline first.
  ['one suite', ['-s', 'typos', '-n', '40'], 33],
  ['a suite of nine attacks', ['-s', 'chars', '-n', '40'], 35],
  // Fewer than 30 attacked examples: two lines of `Gate it` are left out.
  ['all suites', ['-s', 'all', '-n', '6'], 78],
])('%s: three examples, next steps, and no more lines than fit', async (_, flags, most) => {
  const { code, stdout } = await robust(['attack', '-m', 'bert-mini', ...flags, '-q'], {
    cwd: folder(),
    env: { COLUMNS: String(WIDTH) },
  });
  expect(code).toBe(0);
  expect(linesOn(stdout)).toBeLessThanOrEqual(most);
  expect(stdout.match(/, example r\d+: /g)).toHaveLength(3);
  expect(stdout).toMatch(/^Harden +robust attack .* --defend spelling/m);
  expect(stdout).toMatch(/^Look closer +robust report /m);
  // Options of attacks and what figures mean are for --wide and -v.
  expect(stdout).not.toMatch(/[a-z]:[a-z-]+=|mean number of texts/);
});

test('--wide has every attack with its options, -v what the figures mean', async () => {
  const cwd = folder();
  const flags = ['attack', '-m', 'bert-mini', '-a', 'deepwordbug:max-edits=2', '-a', 'leet', '-n', '4', '-q'];
  const wide = (await robust([...flags, '--wide'], { cwd })).stdout;
  expect(wide).toMatch(/ +leet +deepwordbug$/m);
  expect(wide).toContain('deepwordbug:max-edits=2: ');
  expect((await robust([...flags, '-v'], { cwd })).stdout).toContain('Queries: mean number of texts');
});
