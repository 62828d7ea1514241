#!/usr/bin/env node
// Builds dist/ with tsc, which compiles only what changed, and dist/bundle/ of it, then writes the published schemas and
// oclif.manifest.json, so that `robust --help` loads no command and no engine.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Plugin } from '@oclif/core';
import { ownRuntime } from '../release/runtime.js';
import { bundle } from './bundle.js';
import { writeAuditable } from './licences.js';
import { vendor } from './vendor.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = `${root}oclif.manifest.json`;
const state = `${root}dist/.tsbuildinfo`;
const schemas = `${root}schemas/`;

const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
execFileSync(process.execPath, [compiler, '--incremental', '--tsBuildInfoFile', state], {
  cwd: root,
  stdio: 'inherit',
});

// Removes outputs without a source, which could still be imported, or listed as a command.
for (const room of ['src', 'attacks', 'datasets', 'reports', 'packages/onnx/src', 'packages/shield/src']) {
  for (const file of readdirSync(`${root}dist/${room}`, { recursive: true, encoding: 'utf8' })) {
    const compiled = /^(.*?)(\.d\.ts|\.js\.map|\.js)$/.exec(file);
    if (compiled && !existsSync(join(root, room, `${compiled[1]}.ts`))) rmSync(join(root, 'dist', room, file));
  }
}

ownRuntime(root, `${root}dist/runtime`);
await vendor(`${root}dist/vendor`);

// tsc writes its state only where something changed.
const written = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (written(manifest) < Math.max(written(state), written(`${root}package.json`), written(`${root}bin/bundle.js`))) {
  rmSync(manifest, { force: true });
  await bundle(root);
  const inside = ['bundle', 'vendor'].map((part) => readFileSync(`${root}dist/${part}/packages.json`, 'utf8'));
  writeAuditable(`${root}dist/inside`, Object.assign({}, ...inside.map((text) => JSON.parse(text).packages)));
  const { configJsonSchema } = await import('../dist/src/config/schema.js');
  const published = await import('../dist/src/app/runs/report-schema.js');
  writeFileSync(`${schemas}robust.config.schema.json`, `${JSON.stringify(configJsonSchema(), null, 2)}\n`);
  for (const [name, schema] of [
    ['report', published.reportJsonSchema()],
    ['guard-card', published.guardCardJsonSchema()],
  ])
    writeFileSync(`${schemas}${name}.schema.json`, `${JSON.stringify(schema, null, 2)}\n`);
  const plugin = new Plugin({
    root,
    type: 'core',
    ignoreManifest: true,
    errorOnManifestCreate: true,
    respectNoCacheDefault: true,
  });
  await plugin.load();
  writeFileSync(manifest, `${JSON.stringify(plugin.manifest)}\n`);
}

// Sources that are newer were not compiled: test/compiled.ts.
writeFileSync(`${root}dist/.built`, '');
