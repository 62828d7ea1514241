import { packaged } from '../core/package-root.js';
import { toolVersion } from './context.js';

/** `published` in package.json. */
export const published: boolean = (JSON.parse(packaged('package.json')) as { published: boolean }).published;

/** The first line of a configuration, from which editors know its keys; none until the schema has an address. */
export const schemaComment: string = published
  ? `# yaml-language-server: $schema=https://unpkg.com/robust-text@${toolVersion}/schemas/robust.config.schema.json\n`
  : '';
