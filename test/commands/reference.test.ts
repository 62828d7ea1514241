/** The pages of commands and settings are generated: `npm run build && npx vitest run test/commands/reference.test.ts -u` updates them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { documents } from '../documents.js';

const read = (...path: string[]) => JSON.parse(readFileSync(join(packageRoot, ...path), 'utf8'));
const generate = (await import(join(packageRoot, 'site', 'reference.mjs'))) as {
  commandPages(commands: object): readonly (readonly [file: string, text: string])[];
  settingsPage(schema: object): string;
};
const pages = generate.commandPages(read('oclif.manifest.json').commands);

test.each(pages)('docs/reference/%s is up to date', async (file, text) => {
  await expect(text).toMatchFileSnapshot(`../../docs/reference/${file}`);
});

test('no page describes a command that does not exist', () => {
  const present = documents.filter((file) => file.startsWith('docs/reference/commands/'));
  expect(present).toEqual(
    pages
      .map(([file]) => `docs/reference/${file}`)
      .filter((file) => present.includes(file))
      .sort(),
  );
});

test('docs/reference/settings.md is up to date', async () => {
  const schema = read('schemas', 'robust.config.schema.json');
  await expect(generate.settingsPage(schema)).toMatchFileSnapshot('../../docs/reference/settings.md');
});
