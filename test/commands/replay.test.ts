import { expect, test } from 'vitest';
import { commandLine, quote, settingsOf } from '../../src/app/command-line.js';

test('a command line has what was set, in order, quoted', () => {
  const settings = settingsOf(
    {
      data: "it's here.tsv",
      force: true,
      quiet: false,
      suite: ['typos', 'chars'],
      'label-map': [['0', 'neg']],
      seed: 0,
      protect: [],
    },
    ['data', 'suite', 'label-map', 'force', 'quiet', 'protect', 'seed', 'target'],
  );
  expect(commandLine('attack', settings)).toBe(
    "robust attack --data 'it'\\''s here.tsv' --suite typos --suite chars --label-map 0=neg --force --seed 0",
  );
});

test.each([
  ['plain/path.tsv', 'plain/path.tsv'],
  ['', "''"],
  ['$(rm)', "'$(rm)'"],
])('%s', (word, shell) => expect(quote(word)).toBe(shell));
