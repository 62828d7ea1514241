// Makes the packages that hold onnxruntime for one platform, from the package onnxruntime-node, which holds it for all: every file is copied
// as it is, and its checksum is written beside it. Nothing of them runs at installation.
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Licence and notices as onnxruntime publishes them; its npm package lacks them. */
const TERMS = ['LICENSE', 'ThirdPartyNotices.txt'].map((name) =>
  fileURLToPath(new URL(`onnxruntime/${name}`, import.meta.url)),
);

const BINARIES = 'bin/napi-v6/';

/** @param {string} folder @returns {string[]} paths with slashes, sorted */
export const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort();

/** @param {string} source folder of onnxruntime-node @returns {string[]} such as "linux-x64" */
export const platformsOf = (source) =>
  readdirSync(join(source, BINARIES)).flatMap((platform) =>
    readdirSync(join(source, BINARIES, platform)).map((arch) => `${platform}-${arch}`),
  );

/** The library for macOS under its second name, which the binding does not use, and what the installation script adds for CUDA. */
const LEFT_OUT = /libonnxruntime\.\d+\.\d+\.\d+\.dylib$|libonnxruntime_providers_/;

/**
 * What a platform loads.
 *
 * @param {string} source @param {string} platform
 */
function filesOf(source, platform) {
  const own = `${BINARIES}${platform.replace('-', '/')}/`;
  return filesBelow(source).filter(
    (file) => (file.startsWith(own) && !LEFT_OUT.test(file)) || /^dist\/.*(?<!\.map)$/.test(file),
  );
}

/** @param {string | Buffer} content */
const sha256 = (content) => createHash('sha256').update(content).digest('hex');

/**
 * Writes the package of one platform; `to` is replaced. A file that is a link to upstream's costs no space.
 *
 * @param {string} source folder of onnxruntime-node @param {string} platform such as "linux-x64" @param {string} to
 */
export function writeRuntime(source, platform, to) {
  const { version, license, repository, dependencies } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const [os, cpu] = platform.split('-');
  rmSync(to, { recursive: true, force: true });
  const files = filesOf(source, platform);
  for (const file of files) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    linkOrCopy(join(source, file), join(to, file));
  }
  for (const file of TERMS) copyFileSync(file, join(to, file.slice(dirname(file).length + 1)));
  const terms = TERMS.map((file) => file.slice(dirname(file).length + 1));
  const checksums = [...files, ...terms].map((file) => [file, sha256(readFileSync(join(to, file)))]);
  writeJson(join(to, 'checksums.json'), {
    source: `onnxruntime-node@${version}`,
    files: Object.fromEntries(checksums),
  });
  writeJson(join(to, 'package.json'), {
    name: `robust-text-${platform}`,
    version,
    description: `onnxruntime for ${os} on ${cpu}, from onnxruntime-node ${version}: the part of robust-text that runs models there.`,
    license,
    repository,
    os: [os],
    cpu: [cpu],
    ...(os === 'linux' && { libc: ['glibc'] }),
    main: 'dist/index.js',
    types: 'dist/index.d.ts',
    // Its libraries are opened by their path, which a zip file of yarn has not.
    preferUnplugged: true,
    dependencies: { 'onnxruntime-common': dependencies['onnxruntime-common'] },
  });
  writeFileSync(
    join(to, 'README.md'),
    `# robust-text-${platform}\n\nThe files of onnxruntime-node ${version} that ${os} on ${cpu} loads, unchanged (checksums.json), without an installation script. robust-text depends on it; it is of no use alone.\n`,
  );
}

/** The package for CUDA: onnxruntime-node, whose installation script fetches the libraries, under a name that robust looks for first. */
export function writeCuda(version, to) {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  writeJson(join(to, 'package.json'), {
    name: 'robust-text-cuda',
    version,
    description: 'onnxruntime with CUDA for robust-text --runtime device=cuda, on Linux x64.',
    license: 'MIT',
    os: ['linux'],
    cpu: ['x64'],
    main: 'index.js',
    dependencies: { 'onnxruntime-node': version },
  });
  writeFileSync(join(to, 'index.js'), "module.exports = require('onnxruntime-node');\n");
  copyFileSync(fileURLToPath(new URL('../LICENSE', import.meta.url)), join(to, 'LICENSE'));
  writeFileSync(
    join(to, 'README.md'),
    `# robust-text-cuda\n\nLets \`robust attack --runtime device=cuda\` compute on an NVIDIA card (Linux x64, CUDA 12, cuDNN 9). It depends on onnxruntime-node ${version}, whose installation script fetches the libraries for CUDA from api.nuget.org. If your package manager runs no scripts: \`node node_modules/onnxruntime-node/script/install.js\`.\n`,
  );
}

/** @param {string} file @param {object} value */
export const writeJson = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);

/** @param {string} from @param {string} to */
function linkOrCopy(from, to) {
  try {
    linkSync(from, to);
  } catch {
    // Another disk.
    copyFileSync(from, to);
  }
}

/**
 * The runtime of this platform for a package that is built here, beside its bundle. Nothing where onnxruntime has no build for it.
 *
 * @param {string} root of a clone @param {string} to
 */
export function ownRuntime(root, to) {
  const source = join(root, 'node_modules', 'onnxruntime-node');
  const platform = `${process.platform}-${process.arch}`;
  if (!existsSync(source) || !platformsOf(source).includes(platform)) return;
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const made = join(to, 'package.json');
  if (existsSync(made) && JSON.parse(readFileSync(made, 'utf8')).version === version) return;
  writeRuntime(source, platform, to);
}
