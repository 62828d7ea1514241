/** @file Whether npm has robust. A name that is not registered yet is anybody's: until it is, nothing that robust writes may fetch it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../core/package-root.js';
import { toolVersion } from './context.js';

/** Only what release/pack.js packs depends on the packages of onnxruntime; a build of a clone contains one. */
export const published: boolean =
  'optionalDependencies' in (JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as object);

/** The first line of a configuration, from which editors know its keys; none until the schema has an address. */
export const schemaComment: string = published
  ? `# yaml-language-server: $schema=https://unpkg.com/robust-text@${toolVersion}/schemas/robust.config.schema.json\n`
  : '';
