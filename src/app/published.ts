import { packaged } from '../core/package-root.js';
import { toolVersion } from './context.js';

/** Only what release/pack.js packs depends on the packages of onnxruntime; a build of a clone contains one. */
export const published: boolean = 'optionalDependencies' in (JSON.parse(packaged('package.json')) as object);

/** The first line of a configuration, from which editors know its keys; none until the schema has an address. */
export const schemaComment: string = published
  ? `# yaml-language-server: $schema=https://unpkg.com/robust-text@${toolVersion}/schemas/robust.config.schema.json\n`
  : '';
