/** @file Whether npm has robust. A name that is not registered yet is anybody's: until it is, nothing that robust writes may fetch it. */
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packaged, packageRoot } from '../core/package-root.js';
import { toolVersion } from './context.js';

/** Only what release/pack.js packs depends on the packages of onnxruntime; a build of a clone contains one. */
export const published: boolean = 'optionalDependencies' in (JSON.parse(packaged('package.json')) as object);

/** The first line of a configuration, from which editors know its keys: the schema of this version, or its file here until it has an address. */
export function schemaComment(): string {
  const file = join('schemas', 'robust.config.schema.json');
  const here = relative(process.cwd(), join(packageRoot, file));
  const path = here.startsWith('..') ? pathToFileURL(join(packageRoot, file)).href : `./${here}`;
  const address = published ? `https://unpkg.com/robust-text@${toolVersion}/${file}` : path;
  return `# yaml-language-server: $schema=${address}\n`;
}
