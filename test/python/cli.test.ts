/** Victims in Python through the command line: a template that works, and what it says of one that does not. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, robust } from '../commands/cli.js';
import { robustText } from './pythons.js';

const DATA = {
  'dev.tsv': `text\tlabel\n${Array.from({ length: 20 }, (_, at) => `A ${at % 2 ? 'great' : 'dull'} film for guest ${at}.\t${at % 2 ? 'positive' : 'negative'}`).join('\n')}\n`,
};

test('robust new writes a victim and the file that serves it; what it prints next works', async () => {
  const cwd = folder(DATA);
  const { result } = JSON.parse(
    (await robust('new victim reviews --language python --json'.split(' '), { cwd })).stdout,
  );
  expect(result).toMatchObject({
    files: ['reviews.py', 'robust_text.py'],
    next: ["robust attack -m 'cmd:python3 reviews.py'"],
  });
  const model = 'cmd:python3 reviews.py';
  const ended = await robust(['attack', '-m', model, '-d', 'dev.tsv', '-a', 'pruthi', '-n', '8', '--json'], { cwd });
  expect(JSON.parse(ended.stdout).result).toMatchObject({
    model: { labels: ['negative', 'positive'] },
    clean: { accuracy: { value: 1, n: 8 } },
  });
  // Neither file is written over.
  writeFileSync(join(cwd, 'robust_text.py'), '# older\n');
  const taken = await robust('new victim reviews --language python --json'.split(' '), { cwd });
  expect(JSON.parse(taken.stdout).error.code).toBe('OUTPUT_TAKEN');
  await robust('new victim second --language python'.split(' '), { cwd });
  expect(readFileSync(join(cwd, 'robust_text.py'), 'utf8')).toBe('# older\n');
  expect(existsSync(join(cwd, 'second.py'))).toBe(true);
});

test.each([
  { kind: 'attack', more: [] },
  { kind: 'victim', more: ['--package'] },
])('robust new %j is not in Python', async ({ kind, more }) => {
  const cwd = folder();
  const { code, stdout } = await robust(['new', kind, 'mine', '--language', 'python', '--json', ...more], { cwd });
  expect({ code, error: JSON.parse(stdout).error.code }).toEqual({ code: 2, error: 'FLAG_INVALID' });
});

test('a victim that cannot start is refused by its own words and line', async () => {
  const code = 'from robust_text import serve\nserve(lambda texts: 1 / 0, labels=["negative", "positive"])\n';
  const cwd = folder({ ...DATA, 'victim.py': code, 'robust_text.py': readFileSync(robustText, 'utf8') });
  const { code: exit, stdout } = await robust(
    'evaluate -m|cmd:python3 victim.py|-d|dev.tsv|--json'.split(/ (?=-m)|\|/),
    { cwd },
  );
  const { error } = JSON.parse(stdout);
  expect({ exit, code: error.code }).toEqual({ exit: 3, code: 'PLUGIN_DAMAGED' });
  expect(error.message).toContain('ZeroDivisionError: division by zero (victim.py:2)');
});

test('a text that the function refuses is an example in error, with the line; prints are no answers', async () => {
  const code = `
print("loading")
from robust_text import serve
def classify(texts):
    print(texts)
    if any("guest 3" in text for text in texts):
        raise ValueError("not that guest")
    return ["negative" if "dull" in text else "positive" for text in texts]
serve(classify, labels=["negative", "positive"])
`;
  const cwd = folder({ ...DATA, 'victim.py': code, 'robust_text.py': readFileSync(robustText, 'utf8') });
  const args = ['-d', 'dev.tsv', '-a', 'whole-case', '-n', '5', '--json'];
  const { stdout, stderr } = await robust(['attack', '-m', 'cmd:python3 victim.py', ...args], { cwd });
  const { result, error } = JSON.parse(stdout);
  expect(error).toBeUndefined();
  const errored = result.examples.filter(({ status }: { status: string }) => status === 'errored');
  expect(errored).toHaveLength(1);
  expect(stderr).toContain('ValueError: not that guest (victim.py:7)');
});
