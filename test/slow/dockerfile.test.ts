/**
 * The Dockerfile without a daemon: its steps run in their order, with only the files that .dockerignore lets in, in folders that stand for
 * the paths of the build; then the image's root is entered as a user who has no name there. Needs root, npm's registry and `unshare`.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';

/** Instructions of a stage; a line that ends in a backslash goes on. */
const stages = readFileSync(join(packageRoot, 'Dockerfile'), 'utf8')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, ' ')
  .split(/^FROM /m)
  .map((stage) =>
    stage.split('\n').flatMap((line) => (/^([A-Z]+) (.*)$/.exec(line)?.slice(1) as [string, string] | []) ?? []),
  )
  .map((words) => Array.from({ length: words.length / 2 }, (_, at) => [words[2 * at], words[2 * at + 1]] as const));

/** What the daemon would get: tracked files that .dockerignore does not exclude. */
function context(to: string): void {
  const allowed = readFileSync(join(packageRoot, '.dockerignore'), 'utf8')
    .split('\n')
    .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
  const tracked = execFileSync('git', ['ls-files', '-z', '--', ...allowed], { cwd: packageRoot, encoding: 'utf8' });
  for (const file of tracked.split('\0').filter(Boolean)) cpSync(join(packageRoot, file), join(to, file));
}

const able = process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0;

test.skipIf(!able)(
  'its steps make an image that runs for any user (skipped without root and unshare)',
  () => {
    const work = mkdtempSync(join(tmpdir(), 'robust-image-'));
    chmodSync(work, 0o755);
    const given = join(work, 'context');
    context(given);
    const [build, image] = stages.slice(-2) as [(typeof stages)[number], (typeof stages)[number]];
    let folder = '/';
    const inPlace = (text: string): string =>
      text.replaceAll(/(?<![\w.])\/(robust|tarball|image)(?![\w-])/g, `${work}/$1`);
    for (const [instruction, words] of build) {
      if (instruction === 'WORKDIR') {
        folder = inPlace(words);
        mkdirSync(folder, { recursive: true });
      }
      if (instruction === 'COPY') {
        const names = words.split(' ');
        const to = join(folder, names.pop() as string);
        for (const name of names) cpSync(join(given, name), name === '.' ? to : join(to, name), { recursive: true });
      }
      if (instruction === 'RUN' && !words.startsWith('apt-get'))
        execFileSync('sh', ['-ec', inPlace(words)], { cwd: folder, stdio: 'pipe' });
    }
    const to = join(work, 'image');
    const parts = JSON.parse(readFileSync(join(to, 'sbom.cdx.json'), 'utf8')) as { components: { name: string }[] };
    expect(parts.components.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['libc6', 'node', 'onnxruntime-common']),
    );

    // What a daemon mounts is mounted for one command alone, which ends with it.
    for (const file of ['dev/null', 'dev/urandom']) {
      mkdirSync(dirname(join(to, file)), { recursive: true });
      writeFileSync(join(to, file), '');
    }
    mkdirSync(join(to, 'proc'));
    const mounts = `mount -t proc proc ${to}/proc && mount --bind /dev/null ${to}/dev/null && mount --bind /dev/urandom ${to}/dev/urandom`;
    const settings = image.flatMap(([instruction, words]) => (instruction === 'ENV' ? words.split(' ') : []));
    const chroot = `chroot --userspec=12345:12345 ${to} /usr/bin/env -i ${settings.join(' ')}`;
    const inside = (script: string) => {
      const args = ['--mount', 'sh', '-ec', `${mounts} && exec ${chroot} sh -c "cd /work; $1"`, 'sh', script];
      const { status, stdout, stderr } = spawnSync('unshare', args, { encoding: 'utf8' });
      return { status, said: `${stdout}${stderr}` };
    };
    expect(inside('robust attack --model distilbert --suite typos -n 5 -o report.html')).toMatchObject({
      status: 0,
    });
    expect(readFileSync(join(to, 'work', 'report.html'), 'utf8')).toContain('distilbert');
    expect(inside('robust doctor')).toMatchObject({ status: 0 });
    expect(inside(': > /app/x').status).not.toBe(0);
  },
  900_000,
);
