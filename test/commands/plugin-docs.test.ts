/** docs/reference/plugins.md shows the templates of `robust new`, which run. Written by: vitest run test/commands/plugin-docs.test.ts -u */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PLUGIN_KINDS } from '../../src/app/plugins/kinds.js';
import { templateKinds } from '../../src/app/plugins/new-plugin.js';
import { packageRoot } from '../../src/core/package-root.js';

const MARKER = '<!-- examples: written from templates/plugins by a test -->';

test('docs/reference/plugins.md is up to date', async () => {
  const [introduction] = readFileSync(join(packageRoot, 'docs', 'reference', 'plugins.md'), 'utf8').split(MARKER);
  const examples = templateKinds.map((kind) => {
    const { what, use } = PLUGIN_KINDS[kind];
    const code = readFileSync(join(packageRoot, 'templates', 'plugins', `${kind}.js`), 'utf8');
    return `## ${what.replace(/^an? (.)/, (_, first: string) => first.toUpperCase())}\n\n    ${use} ./my-${kind}.mjs\n\n\`\`\`js\n${code}\`\`\`\n`;
  });
  await expect(`${introduction}${MARKER}\n\n${examples.join('\n')}`).toMatchFileSnapshot(
    '../../docs/reference/plugins.md',
  );
});
