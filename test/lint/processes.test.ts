/** What starts a process says why: most of the time of a test that does is the start. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';

const WHY: Readonly<Record<string, string>> = {
  'a signal, a crash or an exit is what is tested': `campaigns/kill commands/cli.test commands/crash commands/explain.test commands/interruption.test
    commands/isolate.test commands/leftovers.test commands/plant.test commands/train.test commands/verify.test files/lock.test files/write.test
    fleet/fleet.test fleet/toys model/isolate.test review/kill.test run/resume.test serve/bundled.test`,
  'workers of a queue, and what begins runs on it, are several processes':
    'campaigns/fleet commands/queue.test fleet/redis fleet/rights.test',
  'code of a user hangs, prints or throws later': `campaigns/fuzz/index commands/hostile.test commands/no-evidence
    commands/plugin-mistakes.test model/load-errors.test`,
  'what is imported, or asked of the terminal, is so once a process':
    'commands/help.test bundle.test ../packages/onnx/test/package.test',
  'proxies and certificates come from the environment that a process begins with': 'remote/network.test',
  'it is robust in another place: a package, a folder, an action, an empty cache': `campaigns/fuzz/seeds commands/action.test commands/new.test
    commands/working-folder.test package.test release/inside.test release/rehearsal.test release/runtime.test`,
  'a program is the victim, or robust is called by one': `commands/program.test python/libraries.test python/page.test python/pythons
    python/serve.test`,
  'a script of the repository is one': 'compiled datasets/bundled.test datasets/notes.test workflows.test',
  'git, mount, mkfifo, locale or zstd has no other interface': `datasets/packed.test error-codes.test files/small-disk files/strangers.test fleet/disk.test
    left.test lint/install-recipes.test lint/links.test lint/plugin-names.test lint/tracked-files.test model/shared run/disk.test`,
  'it is the helper by which the others do': 'commands/cli',
};

const STARTS = /\b(?:robustProcess|spawn|spawnSync|execFile|execFileSync|execSync|fork)\b\(?/;

test('every test file that starts a process has a reason, and no other is listed', () => {
  const files = ['test', 'packages/onnx/test', 'packages/shield/test'].flatMap((folder) =>
    readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
      .filter((file) => file.endsWith('.ts') && !/^test\/(?:slow\/|lint\/processes)/.test(file)),
  );
  const imports = (text: string): boolean =>
    /^import .*(?:robustProcess|from 'node:child_process')|^\} from 'node:child_process'|^export function robustProcess/m.test(
      text,
    );
  const starting = files.filter((file) => {
    const text = readFileSync(join(packageRoot, file), 'utf8');
    return imports(text) && STARTS.test(text.replaceAll(/^import .*$/gm, ''));
  });
  const listed = Object.values(WHY).flatMap((names) => names.split(/\s+/).map((name) => join('test', `${name}.ts`)));
  expect({
    unexplained: starting.filter((file) => !listed.includes(file)),
    startNothing: listed.filter((file) => !starting.includes(file)),
  }).toEqual({ unexplained: [], startNothing: [] });
});
