/**
 * The sources that tests import are those that `npm run build` compiled: Node loads them as it does for users, and no transform of Vite stands
 * between. Where a source is newer than the build, the build comes first.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vitest/config';

const root = fileURLToPath(new URL('..', import.meta.url));
const ROOMS = ['src', 'attacks', 'datasets', 'reports', 'packages/onnx/src', 'packages/shield/src'];
const COMPILED = new RegExp(`^(?:${ROOMS.join('|')})/.*\\.js$`);

/** Resolves imports of sources to what was compiled of them. A watch needs the sources themselves. */
export function compiled(): Plugin {
  let watches = false;
  return {
    name: 'compiled',
    enforce: 'pre',
    configResolved(config) {
      watches = (config as { readonly test?: { readonly watch?: boolean } }).test?.watch === true;
    },
    resolveId(name, importer) {
      if (watches || importer === undefined || !name.startsWith('.')) return;
      const path = relative(root, resolve(dirname(importer), name)).replaceAll('\\', '/');
      if (COMPILED.test(path)) return join(root, 'dist', path);
    },
  };
}

export default function setup(): void {
  const built = statSync(join(root, 'dist', '.built'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const files = ROOMS.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).map((file) => join(root, room, file)),
  );
  const newer = files.find((file) => file.endsWith('.ts') && existsSync(file) && statSync(file).mtimeMs > built);
  if (newer !== undefined) execFileSync(process.execPath, [join(root, 'bin', 'build.js')], { stdio: 'inherit' });
}
