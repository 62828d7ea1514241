import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { deleteUnusedFiles, unusedFiles, unusedOf } from '../../src/app/unused-files.js';
import { packageRoot } from '../../src/core/package-root.js';
import { folder } from './cli.js';

test('deletes what is not loaded, and keeps terms, types and what other packages put inside', () => {
  const root = folder();
  const all = ['package.json', 'LICENSE', 'index.d.ts', 'used.js', 'maps/used.js.map', 'node_modules/other/index.js'];
  for (const file of all) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), 'ten bytes.');
  }
  const found = unusedOf('one', root, (path) => path === 'used.js');
  expect(found).toEqual({ package: 'one', total: 60, unused: 10, files: [join(root, 'maps', 'used.js.map')] });
  expect(deleteUnusedFiles([found])).toBe(10);
  expect(all.filter((file) => !existsSync(join(root, file)))).toEqual(['maps/used.js.map']);
  // Once more: there is nothing left to do.
  expect(deleteUnusedFiles([unusedOf('one', root, (path) => path === 'used.js')])).toBe(0);
});

test('the library of this platform stays, those of others go', () => {
  const found = unusedFiles();
  const runtime = found.find((each) => each.package === 'onnxruntime-node')!;
  const here = `/${process.platform}/${process.arch}/`;
  expect(runtime.unused).toBeLessThan(runtime.total);
  expect(runtime.files.filter((file) => file.includes(here))).toEqual([]);
  // What Node.js resolves of TF.js is never among them.
  const gone = new Set(found.flatMap(({ files }) => files));
  for (const part of ['core', 'backend-cpu', 'backend-wasm']) {
    const file = `node_modules/@tensorflow/tfjs-${part}/dist/tf-${part}.node.js`;
    expect([...gone].filter((each) => each.endsWith(file))).toEqual([]);
    expect(existsSync(join(packageRoot, file))).toBe(true);
  }
});
