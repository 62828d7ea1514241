/** Where a configuration is looked for, and where the search ends. */
import { chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findConfig } from '../../src/config/find.js';
import { loadConfig } from '../../src/config/load.js';
import { folder } from '../commands/cli.js';

const NAME = 'robust.config.yaml';
const users = process.geteuid === undefined ? undefined : [process.geteuid(), 0];

/** `above/robust.config.yaml` and `above/project/inner`. */
function tree(): { above: string; project: string; inner: string } {
  const above = folder({ [NAME]: 'seed: 1\n' });
  const project = join(above, 'project');
  const inner = join(project, 'inner');
  mkdirSync(inner, { recursive: true });
  return { above, project, inner };
}
const near = { home: '/nowhere', users };

test('the nearest configuration above is found', () => {
  const { above, inner } = tree();
  expect(findConfig(inner, near)).toBe(join(above, NAME));
});

test.each([
  ['a folder', (project: string) => mkdirSync(join(project, '.git'))],
  ['a file, as in a worktree or a submodule', (project: string) => writeFileSync(join(project, '.git'), 'gitdir: x\n')],
])('the search ends at the root of a repository: .git is %s', async (_, makeRoot) => {
  const { project, inner } = tree();
  makeRoot(project);
  expect(findConfig(inner, near)).toBeUndefined();
  expect(await loadConfig(inner)).toBeUndefined();
  writeFileSync(join(project, NAME), 'seed: 2\n');
  expect(findConfig(inner, near)).toBe(join(project, NAME));
});

test('the search ends at the home folder, and reads its configuration', () => {
  const { project, inner } = tree();
  expect(findConfig(inner, { home: project, users })).toBeUndefined();
  writeFileSync(join(project, NAME), 'seed: 2\n');
  expect(findConfig(inner, { home: project, users })).toBe(join(project, NAME));
});

test('no configuration of another user is found above, and the one in the working folder is refused', () => {
  const { above, inner } = tree();
  const others = { home: '/nowhere', users: [4_000_000_000] };
  expect(findConfig(inner, others)).toBeUndefined();
  expect(() => findConfig(above, others)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
});

test.skipIf(process.geteuid?.() !== 0)(
  'a file of another user in a folder of one’s own is not read, as in /tmp',
  () => {
    const { above, inner } = tree();
    chownSync(join(above, NAME), 12_345, 12_345);
    expect(findConfig(inner, near)).toBeUndefined();
    expect(() => findConfig(above, near)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  },
);

test.each(['x.mjs', 'x.js', 'x.cjs', 'x.ts', 'x.mts', 'x.MJS'])(
  'a YAML or JSON configuration does not extend %s, at any depth, and does not run it',
  async (code) => {
    const mark = join(folder(), 'ran');
    const files = {
      [code]: `require('fs').writeFileSync(${JSON.stringify(mark)}, ''); module.exports = { seed: 1 };`,
      'direct.yaml': `extends: ./${code}\n`,
      'listed.json': JSON.stringify({ extends: ['robust:recommended', code] }),
      'through.yaml': 'extends: ./direct.yaml\n',
      'outer.mjs': "export default { extends: './direct.yaml' };",
    };
    const home = folder(files);
    for (const name of ['direct.yaml', 'listed.json', 'through.yaml', 'outer.mjs']) {
      await expect(loadConfig(home, name)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    }
    expect(existsSync(mark)).toBe(false);
  },
);

test('a configuration in code extends code', async () => {
  const home = folder({
    'robust.config.mjs': "export default { extends: './base.mjs', seed: 2 };",
    'base.mjs': 'export default { numExamples: 7 };',
  });
  expect((await loadConfig(home))?.values).toMatchObject({ seed: 2, numExamples: 7 });
});

const HEADERS = `headers: ['authorization: Bearer \${TOKEN}']\n`;

test.each([
  [HEADERS, `robust.config.yaml:1:10: headers: expected a variable that the file lists, got \${TOKEN}`],
  [`variables: [OTHER]\n${HEADERS}`, `headers: expected a variable that the file lists, got \${TOKEN}`],
  [`model: kserve+http://host/v2/models/m?key=\${AWS_SECRET_ACCESS_KEY}\n`, `got \${AWS_SECRET_ACCESS_KEY}`],
])('a variable that the file does not list is named', async (text, message) => {
  await expect(loadConfig(folder({ [NAME]: text }))).rejects.toThrow(message);
  // Another file's list does not count.
  const extending = folder({
    [NAME]: 'extends: ./base.yaml\nvariables: [TOKEN, AWS_SECRET_ACCESS_KEY]\n',
    'base.yaml': text,
  });
  await expect(loadConfig(extending)).rejects.toMatchObject({ code: 'SECRET_INVALID' });
});

test('headers may contain a variable that the file lists', async () => {
  const config = await loadConfig(folder({ [NAME]: `variables: [TOKEN]\n${HEADERS}` }));
  expect(config?.values.headers).toEqual([`authorization: Bearer \${TOKEN}`]);
});
