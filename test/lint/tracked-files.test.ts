/** No tracked file names a folder of the machine it was made on. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';

/** Home and work folders. Allowed: `/home/user`, `/home/node` of the image, and placeholders such as `/home/me`. */
const FOLDER =
  /(?<![\w.~-])(?:\/(?:home|Users)\/(?!(?:user|node|me|you|runner|NAME)\b)|\/(?:root|work|workspace)\/)[\w.-]+|\b[A-Z]:\\+Users\\+(?!me\b)\w+/g;

/** Folders of a contributor's machine in a text: those of any machine, and this checkout's own path. */
const machinePaths = (text: string): string[] => [
  ...(text.match(FOLDER) ?? []),
  ...[packageRoot, join(homedir(), '')].filter((path) => path.length > 6 && text.includes(`${path}/`)),
];

const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: packageRoot, encoding: 'utf8' }).split('\0');

test('no tracked file holds a path of a contributor’s machine', () => {
  const found = tracked
    .filter((file) => file !== '' && !/\.(?:onnx|png|parquet|bin|gz|zst)$/.test(file))
    .filter((file) => !file.endsWith('tracked-files.test.ts'))
    .flatMap((file) => machinePaths(readFileSync(join(packageRoot, file), 'utf8')).map((path) => `${file}: ${path}`));
  expect(found).toEqual([]);
});

test.each([
  '--model /home/anna/robust/model.onnx',
  '"/work/project/model.onnx"',
  '/Users/anna/robust',
  'C:\\\\Users\\\\anna',
  `${packageRoot}/dist`,
])('a path is found: %s', (text) => expect(machinePaths(text)).not.toEqual([]));

test.each(['/home/user/robust/model.mjs', '-v "$PWD:/work"', 'screenshots/work/x'])('no path: %s', (text) =>
  expect(machinePaths(text)).toEqual([]),
);
