/** docs/reference/plugins.md lists the templates of `robust new` and shows the first, which run. Written by: vitest run test/commands/plugin-docs.test.ts -u */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PLUGIN_KINDS } from '../../src/app/plugins/kinds.js';
import { templateKinds } from '../../src/app/plugins/new-plugin.js';
import { packageRoot } from '../../src/core/package-root.js';

const MARKER = '<!-- examples: written from templates/plugins by a test -->';

test('docs/reference/plugins.md is up to date', async () => {
  const [introduction] = readFileSync(join(packageRoot, 'docs', 'reference', 'plugins.md'), 'utf8').split(MARKER);
  const uses = templateKinds.map(
    (kind) => `| \`robust new ${kind} NAME\` | \`${PLUGIN_KINDS[kind].use} ./NAME.mjs\` |`,
  );
  const table = ['| writes | used by |', '|---|---|', ...uses].join('\n');
  const code = readFileSync(join(packageRoot, 'templates', 'plugins', `${templateKinds[0]}.js`), 'utf8');
  await expect(
    `${introduction}${MARKER}\n\n${table}\n\nThe first of them:\n\n\`\`\`js\n${code}\`\`\`\n`,
  ).toMatchFileSnapshot('../../docs/reference/plugins.md');
});
