// The parts of robust-text as CycloneDX: packages that npm installs with it, packages whose code is inside its files, and the runtimes.
// node release/sbom.js [FOLDER of an image's root]: prints it; with a root also Node.js and the system's packages that are there.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @param {string} file */
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

/** @param {string} name @param {string} version */
const purl = (name, version) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** A component of npm. @param {string} name @param {string} version @param {{ integrity?: string, license?: string }} facts */
const component = (name, version, { integrity, license } = {}) => ({
  type: 'library',
  'bom-ref': purl(name, version),
  name,
  version,
  purl: purl(name, version),
  ...(license && { licenses: [/ OR | AND /.test(license) ? { expression: license } : { license: { id: license } }] }),
  ...(integrity && {
    hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex') }],
  }),
});

/** The packages of the lock file that npm installs for users; those of the workspace are part of ours. */
const installed = (root) =>
  Object.entries(readJson(join(root, 'package-lock.json')).packages)
    .filter(
      ([path, { dev, optional, peer, link }]) =>
        path.startsWith('node_modules/') && !link && !dev && !optional && !peer,
    )
    .map(([path, { version, ...facts }]) => component(path.split('node_modules/').at(-1), version, facts));

/** Those whose code is inside ours, as the build noted them. */
const inside = (root) =>
  ['dist/bundle/packages.json', 'dist/vendor/packages.json'].flatMap((file) =>
    Object.entries(readJson(join(root, file)).packages).map(([name, version]) => component(name, version)),
  );

/** @param {string} root of a clone that is built @param {readonly string[]} platforms of onnxruntime */
export function bom(root, platforms, more = []) {
  const { name, version, license, dependencies } = readJson(join(root, 'package.json'));
  const runtime = dependencies['onnxruntime-common'];
  const lock = readJson(join(root, 'package-lock.json')).packages['node_modules/onnxruntime-node'];
  const runtimes = platforms.map((platform) => ({
    ...component(`robust-text-${platform}`, runtime, { license: 'MIT' }),
    pedigree: { ancestors: [component('onnxruntime-node', runtime, lock)] },
  }));
  const all = [...installed(root), ...inside(root), ...runtimes, ...more];
  const components = [...new Map(all.map((each) => [each['bom-ref'], each])).values()];
  const self = component(name, version, { license });
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...self, type: 'application' } },
    components,
    dependencies: [{ ref: self['bom-ref'], dependsOn: components.map((each) => each['bom-ref']) }],
  };
}

/** Debian's packages that a root holds: one file for each in a distroless root, one for all elsewhere. */
function debian(image) {
  const one = join(image, 'var/lib/dpkg/status');
  const text = existsSync(one) ? readFileSync(one, 'utf8') : '';
  return Array.from(text.matchAll(/^Package: (\S+)\n(?:(?!\n\n)[\s\S])*?^Version: (\S+)$/gm), ([, name, version]) => ({
    type: 'library',
    'bom-ref': `pkg:deb/debian/${name}@${version}`,
    name,
    version,
    purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}`,
  }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [image] = process.argv.slice(2);
  const own = [`${process.platform}-${process.arch}`];
  const node = {
    type: 'platform',
    'bom-ref': `pkg:generic/node@${process.versions.node}`,
    name: 'node',
    version: process.versions.node,
    purl: `pkg:generic/node@${process.versions.node}`,
  };
  const more = image === undefined ? [] : [node, ...debian(image)];
  console.log(JSON.stringify(bom(fileURLToPath(new URL('..', import.meta.url)), own, more), null, 2));
}
