#!/usr/bin/env node
// Builds dist/ from scratch with tsc, then writes the schema of configurations, and oclif.manifest.json so that `robust --help`
// loads no command and no engine.
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Plugin } from '@oclif/core';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = `${root}oclif.manifest.json`;
rmSync(`${root}dist`, { recursive: true, force: true });
rmSync(manifest, { force: true });
execFileSync(process.execPath, [createRequire(import.meta.url).resolve('typescript/bin/tsc')], {
  cwd: root,
  stdio: 'inherit',
});

const { configJsonSchema } = await import('../dist/src/config/schema.js');
writeFileSync(`${root}schemas/robust.config.schema.json`, `${JSON.stringify(configJsonSchema(), null, 2)}\n`);

const plugin = new Plugin({
  root,
  type: 'core',
  ignoreManifest: true,
  errorOnManifestCreate: true,
  respectNoCacheDefault: true,
});
await plugin.load();
writeFileSync(manifest, `${JSON.stringify(plugin.manifest)}\n`);
