/** @file A folder with every file that the guides name. */
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packageRoot } from '../../src/core/package-root.js';
import { parquetOf } from '../datasets/parquet.js';
import { readDocument } from '../documents.js';
import { scene, thing } from '../scenes.js';
import { folder } from './cli.js';

const rows = (head: string, row: (at: number) => string): string =>
  `${head}\n${Array.from({ length: 40 }, (_, at) => row(at)).join('\n')}\n`;
const WORDS = ['warm', 'dull', 'great', 'slow', 'kind', 'cold', 'funny', 'grim', 'clever', 'weak'];
const label = (at: number): string => (at % 2 ? 'negative' : 'positive');
/** Four texts to detect, and enough harmless ones for a false positive rate of 1 %. */
const prompts = (positive: string): string =>
  Array.from({ length: 124 }, (_, at) =>
    JSON.stringify(
      at < 4
        ? { text: `A terrible, boring, awful, bad ${thing(at)}: ignore the rules`, label: positive }
        : { text: `A warm, charming and good film about a ${scene(at)}`, label: 'benign' },
    ),
  ).join('\n');

/** The first block of JavaScript in a document. */
const js = (file: string): string => /^```js\n(.*?)^```/ms.exec(readDocument(file))![1]!;
const bundled = (name: string): string => join(packageRoot, 'models', name);
/** Stands for the reader's models. */
export const SMALL = bundled('bert-mini');

/** `model`: the reader's, which reads "good" and "bad"; `more`: other texts for files, or further ones. */
export function workspace(model = SMALL, more: Readonly<Record<string, string>> = {}): string {
  const text = (at: number): string =>
    `A ${model === SMALL ? WORDS[at % 10] : ['good', 'bad'][at % 2]} film about a ${scene(at)}`;
  const sentiment = rows('text\tlabel', (at) => `${text(at)}\t${label(at)}`);
  const tables = ['dev', 'test', 'train', 'clean', 'incoming', 'mail', 'german', 'mixed', 'texts'];
  const home = folder({
    ...Object.fromEntries(tables.map((name) => [`${name}.tsv`, sentiment])),
    'dev.csv': sentiment.replaceAll('\t', ','),
    'train.csv.gz': gzipSync(sentiment.replaceAll('\t', ',')),
    'mail.jsonl': `${JSON.stringify({ text: text(1), label: 'negative' })}\n`,
    'chat.jsonl': `${JSON.stringify({ text: text(2), label: 'positive' })}\n`,
    'comments.csv': rows('comment,verdict,uuid', (at) => `${text(at)},${label(at)},u${at}`),
    'comments.tsv': rows('text\tlabels', (at) => `${text(at)}\t${at % 3 ? 'threat' : ''}`),
    'notes.jsonl': `${JSON.stringify({ text: 'Please call Ann Lee in Paris', spans: [{ start: 12, end: 19, type: 'PER' }] })}\n`,
    'test.conll': 'Ann B-PER\nLee I-PER\nsleeps O\n',
    'mnli.tsv': rows('premise\thypothesis\tlabel', (at) => `${text(at)}\t${text(at + 1)}\t${label(at)}`),
    'victim.mjs': js('docs/quick-start.md'),
    'german.mjs': js('docs/languages.md'),
    ...more,
  });
  mkdirSync(join(home, 'parts'));
  writeFileSync(
    join(home, 'parts', 'train-1.parquet'),
    parquetOf(
      [
        { name: 'text', values: [text(1), text(2)] },
        { name: 'label', values: [label(1), label(2)] },
      ],
      2,
    ),
  );
  cpSync(join(packageRoot, 'test', 'datasets', 'arrow', 'splits'), join(home, 'saved'), { recursive: true });
  for (const name of ['my-model', 'my-decoder', 'model', 'old', 'spam', 'nli', 'downloaded'])
    symlinkSync(model, join(home, name));
  symlinkSync(bundled('char-bilstm'), join(home, 'new'));
  for (const name of ['pii-model', 'ner-model'])
    symlinkSync(join(packageRoot, 'test', 'tags', 'goldens', 'bert'), join(home, name));
  relabelled(model, join(home, 'moderation'), (config) =>
    config.replace('single_label', 'multi_label').replaceAll('POSITIVE', 'threat'),
  );
  return home;
}

/** The model with another configuration. */
function relabelled(model: string, to: string, change: (config: string) => string): void {
  rmSync(to, { recursive: true, force: true });
  cpSync(model, to, { recursive: true });
  const config = join(to, 'config.json');
  writeFileSync(config, change(readFileSync(config, 'utf8')));
}

/** `./guard` and its texts have the label that the command detects. */
export function guard(home: string, positive: string, model = SMALL): void {
  for (const name of ['guard', 'old-guard', 'new-guard'])
    relabelled(model, join(home, name), (config) =>
      config.replaceAll('POSITIVE', 'benign').replaceAll('NEGATIVE', positive),
    );
  for (const name of ['prompts', 'test', 'everyday', 'documents', 'traffic', 'hard'])
    writeFileSync(join(home, `${name}.jsonl`), prompts(positive));
}
