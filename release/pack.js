// node release/pack.js FOLDER: packs what a release publishes, as the release workflow and `npm run rehearse` do. One package for each platform
// of onnxruntime, the package for CUDA, and robust-text, which depends on them instead of containing the runtime of one platform.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { platformsOf, writeCuda, writeJson, writeRuntime } from './runtime.js';
import { bom } from './sbom.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/** @param {string} file */
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

/** @param {string | Buffer} content */
export const integrityOf = (content) => `sha512-${createHash('sha512').update(content).digest('base64')}`;

/** Runs npm and returns what it prints. @param {readonly string[]} args @param {string} cwd */
const npm = (args, cwd) => execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

/** Packs a folder, or a package of the registry; the path of the tarball. @param {string} what @param {string} to */
function pack(what, to) {
  const [{ filename }] = JSON.parse(npm(['pack', what, '--json', '--ignore-scripts', '--pack-destination', to], to));
  return join(to, filename);
}

/** @param {string} tarball @param {string} to the folder of its files */
function unpack(tarball, to) {
  mkdirSync(to, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', to, '--strip-components=1']);
}

/** onnxruntime-node as npm has it, checked against the lock file: a clone's copy may hold what its installation script fetched. */
function upstream(version, to) {
  const { integrity } = readJson(join(root, 'package-lock.json')).packages['node_modules/onnxruntime-node'];
  const tarball = pack(`onnxruntime-node@${version}`, to);
  const got = integrityOf(readFileSync(tarball));
  if (got !== integrity)
    throw new Error(`onnxruntime-node@${version}: expected ${integrity} (package-lock.json), got ${got}`);
  unpack(tarball, join(to, 'upstream'));
  return join(to, 'upstream');
}

/** robust-text as it is published: without a runtime, scripts and what only a clone needs. */
function stage(tarball, platforms, to) {
  unpack(tarball, to);
  rmSync(join(to, 'dist', 'runtime'), { recursive: true, force: true });
  const { scripts, devDependencies, allowScripts, workspaces, ...manifest } = readJson(join(to, 'package.json'));
  const version = manifest.dependencies['onnxruntime-common'];
  const optionalDependencies = Object.fromEntries(platforms.map((each) => [`robust-text-${each}`, version]));
  // These also say that npm has the package, so that robust may name itself there (src/app/published.ts).
  writeJson(join(to, 'package.json'), { ...manifest, optionalDependencies });
  rmSync(join(to, 'bin', 'prepare.js'));
  writeJson(join(to, 'sbom.cdx.json'), bom(root, platforms));
}

/**
 * @param {string} folder of the tarballs
 * @returns {{ name: string, version: string, file: string, integrity: string }[]} in the order in which they are published
 */
export function packAll(folder) {
  const to = resolve(folder);
  mkdirSync(to, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), 'robust-release-'));
  try {
    const version = readJson(join(root, 'package.json')).dependencies['onnxruntime-common'];
    const source = upstream(version, work);
    const platforms = platformsOf(source);
    const folders = platforms.map((platform) => join(work, platform));
    for (const [at, platform] of platforms.entries()) writeRuntime(source, platform, folders[at]);
    writeCuda(version, join(work, 'cuda'));
    stage(pack(root, work), platforms, join(work, 'robust-text'));
    const packed = [...folders, join(work, 'cuda'), join(work, 'robust-text')].map((each) => {
      const file = pack(each, to);
      const { name, version: its } = readJson(join(each, 'package.json'));
      return { name, version: its, file: file.slice(to.length + 1), integrity: integrityOf(readFileSync(file)) };
    });
    cpSync(join(work, 'robust-text', 'sbom.cdx.json'), join(to, 'sbom.cdx.json'));
    writeFileSync(join(to, 'packages.json'), `${JSON.stringify(packed, null, 2)}\n`);
    return packed;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error('expected a folder for the tarballs: node release/pack.js FOLDER');
  for (const { name, version, file } of packAll(folder)) console.log(`${name}@${version} ${file}`);
}
