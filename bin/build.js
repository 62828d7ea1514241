#!/usr/bin/env node
// Builds dist/ with tsc, which compiles only what changed, puts oclif into one file, then writes the schema of configurations, and
// oclif.manifest.json so that `robust --help` loads no command and no engine.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Plugin } from '@oclif/core';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = `${root}oclif.manifest.json`;
const state = `${root}dist/.tsbuildinfo`;
const schema = `${root}schemas/robust.config.schema.json`;

const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
execFileSync(process.execPath, [compiler, '--incremental', '--tsBuildInfoFile', state], {
  cwd: root,
  stdio: 'inherit',
});

// What no source stands behind any more would still be found by an import, or listed as a command.
for (const room of ['src', 'attacks', 'datasets', 'reports']) {
  for (const file of readdirSync(`${root}dist/${room}`, { recursive: true, encoding: 'utf8' })) {
    const compiled = /^(.*?)(\.d\.ts|\.js\.map|\.js)$/.exec(file);
    if (compiled && !existsSync(join(root, room, `${compiled[1]}.ts`))) rmSync(join(root, 'dist', room, file));
  }
}

// A hundred small files take longer to find than to run. tsc writes this one anew only where its source changed.
const oclif = 'src/commands/_shared/oclif';
const banner = `// @oclif/core ${createRequire(import.meta.url)('@oclif/core/package.json').version} and what it needs. Licences: oclif.LICENSES.txt`;
if (!readFileSync(`${root}dist/${oclif}.js`, 'utf8').startsWith(banner)) {
  // TypeScript is for plugins in TypeScript that oclif would compile, where it is installed.
  const bundle = await rolldown({ input: `${root}${oclif}.ts`, platform: 'node', external: ['typescript'] });
  const minify = { compress: true, mangle: false, codegen: true };
  const [{ code, modules }] = (await bundle.generate({ codeSplitting: false, minify })).output;
  await bundle.close();
  writeFileSync(`${root}dist/${oclif}.js`, `${banner}\n${code}`);
  const packages = new Set(
    Object.keys(modules).flatMap((file) => /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/.exec(file) ?? []),
  );
  const licences = [...packages].sort().map((folder) => {
    const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    const by = typeof author === 'object' ? author.name : author;
    return `${name} ${version}\n\n${file ? readFileSync(join(folder, file), 'utf8') : `${license}, ${by}\n`}`;
  });
  writeFileSync(`${root}dist/${oclif}.LICENSES.txt`, licences.join(`\n${'-'.repeat(80)}\n\n`));
}

// tsc writes its state only where something changed.
const written = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (written(manifest) < Math.max(written(state), written(`${root}package.json`))) {
  rmSync(manifest, { force: true });
  const { configJsonSchema } = await import('../dist/src/config/schema.js');
  writeFileSync(schema, `${JSON.stringify(configJsonSchema(), null, 2)}\n`);
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
