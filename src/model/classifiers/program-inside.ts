/** @file The white box of a program: its embedding table and its gradients, as its answers hold them in base64. */
import { z } from 'zod';
import type { Token } from '../../core/classifier.js';
import { ModelError, must } from '../../core/errors.js';
import { queryParts } from '../../core/pair.js';
import { faultTexts, readBy } from '../../core/read-by.js';
import { codePointOffsets } from '../../core/tags/code-points.js';
import type { ModuleInside } from './module-inside.js';

/** Values of single precision, little-endian. */
const floats = z.string().transform((written) => {
  const bytes = Buffer.from(written, 'base64');
  return new Float32Array(new Uint8Array(bytes).buffer, 0, bytes.length >> 2);
});

const token = z.object({
  id: z.int().min(0),
  start: z.int().min(0),
  end: z.int().min(0),
  special: z.boolean().default(false),
  second: z.boolean().exactOptional(),
});

const tableAnswer = z.object({
  table: z.object({
    rows: z.int().min(1),
    width: z.int().min(1),
    values: floats,
    /** The text of each row as it would appear in a text; null for special tokens. */
    pieces: z.array(z.string().nullable()).optional(),
  }),
});

const gradientAnswer = z.object({
  gradients: z.array(
    z.object({
      tokens: z.array(token).optional(),
      probabilities: z.array(z.number()),
      loss: z.number().optional(),
      values: floats.optional(),
    }),
  ),
});

/** Texts whose tokens are remembered. */
const REMEMBERED = 4096;

/** `ask` sends a question, for so many texts. `codePoints`: what offsets count. */
export function programInside(
  name: string,
  ask: (question: object, texts: number) => Promise<unknown>,
  codePoints: boolean,
): ModuleInside {
  const tokensOf = new Map<string, Promise<readonly Token[]>>();
  let table: z.infer<typeof tableAnswer>['table'] | undefined;
  /** Throws ModelError (PLUGIN_DAMAGED). */
  const asked = async <T>(schema: z.ZodType<T>, question: object, texts: number): Promise<T> => {
    const read = readBy(schema, await ask(question, texts));
    if (read.success) return read.data;
    throw wrong(name, faultTexts(read.faults, 'the answer'));
  };
  const gradients = async (question: object, texts: number) => {
    const { gradients: found } = await asked(gradientAnswer, { gradients: question }, texts);
    if (found.length === texts) return found;
    throw wrong(name, `expected ${texts} gradients, got ${found.length}`);
  };
  const tokens = async (query: string): Promise<readonly Token[]> => {
    const [text, other] = queryParts(query);
    const [answer] = await gradients({ texts: [other === undefined ? text : [text, other]], labels: [null] }, 1);
    if (answer?.tokens === undefined) throw wrong(name, 'gradients of a text: expected its tokens, got none');
    const offsets = [text, other ?? ''].map((each) => (codePoints ? codePointOffsets(each) : undefined));
    return answer.tokens.map(({ start, end, ...rest }) => {
      const at = offsets[rest.second ? 1 : 0];
      return { ...rest, start: at?.[start] ?? start, end: at?.[end] ?? end };
    });
  };
  return {
    get hidden() {
      return must(table).width;
    },
    async embeddingTable() {
      table ??= (await asked(tableAnswer, { table: true }, 0)).table;
      if (table.values.length === table.rows * table.width) return table.values;
      throw wrong(name, `table: expected ${table.rows} x ${table.width} values, got ${table.values.length}`);
    },
    tokenText: (id) => table?.pieces?.[id] ?? undefined,
    tokens(query) {
      const known = tokensOf.get(query);
      if (known !== undefined) return known;
      const found = tokens(query);
      if (tokensOf.size >= REMEMBERED) tokensOf.delete(must(tokensOf.keys().next().value));
      tokensOf.set(query, found);
      found.catch(() => tokensOf.delete(query));
      return found;
    },
    gradients: (questions) =>
      gradients(
        {
          embeddings: questions.map(({ embeddings: { buffer, byteOffset, byteLength } }) =>
            Buffer.from(buffer, byteOffset, byteLength).toString('base64'),
          ),
          tokens: questions.map((question) => question.tokens),
          labels: questions.map(({ label = null }) => label),
        },
        questions.length,
      ),
  };
}

const wrong = (name: string, what: string): ModelError =>
  new ModelError(`${name}: ${what}`, {
    code: 'PLUGIN_DAMAGED',
    hint: 'docs/reference/process.md shows the answers of a program with gradients.',
  });
