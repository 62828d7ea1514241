import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openDataset } from '../../datasets/index.js';
import { fileOf, rowsOf } from './write.js';

/** Any text a UTF-8 file can hold, control characters and all. */
const anyText = fc.string({ unit: 'binary' }).map((text) => text.replace(/\p{Surrogate}/gu, ''));
const oneLine = anyText.map((text) => text.replace(/[\t\r\n]/g, ' '));
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Whatever the texts, the file that `write` makes of them reads as them, trimmed. */
async function readsBack(
  name: string,
  texts: fc.Arbitrary<string>,
  write: (texts: readonly string[]) => string,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(texts, { minLength: 1 }), async (list) => {
      const data = await openDataset(fileOf(name, write(list)));
      expect((await rowsOf(data)).map(([text]) => text)).toEqual(list.map((text) => text.trim()));
    }),
  );
}

test('jsonl', () =>
  readsBack('a.jsonl', anyText, (texts) => texts.map((text) => `${JSON.stringify({ text, label: 1 })}\n`).join('')));

test('csv, every text quoted', () =>
  readsBack('a.csv', anyText, (texts) => `text,label\r\n${texts.map((text) => `${quoted(text)},1\r\n`).join('')}`));

test('tsv, every text quoted', () =>
  readsBack('a.tsv', oneLine, (texts) => `text\tlabel\n${texts.map((text) => `${quoted(text)}\t1\n`).join('')}`));

test('tsv, texts as they are, unless they look quoted', () =>
  readsBack(
    'a.tsv',
    oneLine.filter((text) => !text.startsWith('"') || !text.endsWith('"')),
    (texts) => `label\ttext\r\n${texts.map((text) => `1\t${text}\r\n`).join('')}`,
  ));
