// node release/publish.js FOLDER [npm's options]: publishes what release/pack.js packed, the runtimes first, so that robust-text is never there without
// them. What the registry has already is left; it is an error if that differs, unless it is a runtime: its version is upstream's, and never changes.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, ...options] = process.argv.slice(2);
if (folder === undefined) throw new Error('expected the folder of the tarballs: node release/publish.js FOLDER');

/** The integrity that the registry has for a version; undefined if it has none. An error of the network is an error. */
function publishedAs(spec) {
  const { status, stdout, stderr } = spawnSync('npm', ['view', spec, 'dist.integrity', '--json', ...options], {
    encoding: 'utf8',
  });
  if (status === 0) return stdout.trim() === '' ? undefined : [JSON.parse(stdout)].flat()[0];
  if (`${stdout}${stderr}`.includes('E404')) return undefined;
  throw new Error(`npm view ${spec}: ${stderr}`);
}

for (const { name, version, file, integrity } of JSON.parse(readFileSync(join(folder, 'packages.json'), 'utf8'))) {
  const before = publishedAs(`${name}@${version}`);
  if (before === undefined) {
    execFileSync('npm', ['publish', join(folder, file), '--access', 'public', '--loglevel', 'error', ...options], {
      stdio: 'inherit',
    });
  } else if (before === integrity || name !== 'robust-text') {
    console.log(`${name}@${version} is published already`);
  } else {
    throw new Error(`${name}@${version} is published already with other content: expected ${integrity}, got ${before}`);
  }
}
