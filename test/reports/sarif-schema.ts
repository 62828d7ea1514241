import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { packageRoot } from '../../src/core/package-root.js';

const schemaOf = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

/** Microsoft's copy of the published schema (draft 4, of which ajv knows all that is used but the name of `$id`). */
export const PUBLISHED = join(packageRoot, 'node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');

/** A validator by the schema in a file. */
export function compiled(file: string): ValidateFunction {
  const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
  addFormats.default(ajv);
  const { $schema: _, id: __, ...schema } = schemaOf(file);
  return ajv.compile(schema);
}

/** Formats in use. */
export const OWN = join(import.meta.dirname, 'sarif.schema.json');
