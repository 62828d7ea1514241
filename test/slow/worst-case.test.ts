/** The worst case of `standard` on trained models of several architectures; see test/search/worst-case.test.ts for the others. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { haveLocale, haveShared, victims } from '../model/shared.js';
import { CASCADES, checkWorstCase, type RunOfVictim } from '../search/worst-case.js';

const data = join(packageRoot, '../shared/data/');

const VICTIMS: readonly (readonly [name: string, victim: RunOfVictim, available: boolean])[] = [
  ['char-bilstm', { model: 'char-bilstm', data: 'reviews' }, true],
  ['char-bilstm behind the speller', { model: 'char-bilstm', data: 'reviews', flags: ['--defend', 'spelling'] }, true],
  ['distilbert', { model: 'distilbert', data: 'reviews' }, true],
  ['a word CNN', { model: join(victims, 'imdb-wordcnn'), data: join(data, 'imdb/reviews200.tsv') }, haveShared],
  [
    'a scikit-learn model',
    { model: join(victims, 'sms-tfidf'), data: join(data, 'sms-spam/sms.tsv') },
    haveShared && haveLocale,
  ],
];

describe.each(VICTIMS)('%s', (_, victim, available) => {
  test.skipIf(!available)(
    'falls to a cascade wherever it falls to one of its attacks',
    { timeout: 1_800_000 },
    async () => {
      let flipped = 0;
      for (const cascade of CASCADES) flipped += await checkWorstCase(cascade, victim);
      expect(flipped).toBeGreaterThan(0);
    },
  );
});
