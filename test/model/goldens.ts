/** The exports of ../shared/goldens/transformers: what transformers makes of some texts, and how its models answer. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../shared/goldens/transformers/', import.meta.url));

interface GoldenCase {
  readonly name: string;
  /** A text, or the two texts of a pair. */
  readonly texts: readonly (string | readonly [string, string])[];
  /** [batch, sequence], padded; as are the mask and the types. */
  readonly input_ids: readonly (readonly number[])[];
  readonly attention_mask: readonly (readonly number[])[];
  readonly token_type_ids?: readonly (readonly number[])[];
  /** A class index, a number, a row of 0 and 1, or ids. */
  readonly labels: readonly (number | readonly number[])[];
  /** [batch, labels]; null for language models. */
  readonly logits: readonly (readonly number[])[] | null;
  readonly loss_mean: number;
  /** By module name, [batch, sequence, width]. */
  readonly grad_word_embedding_output: Readonly<Record<string, readonly (readonly (readonly number[])[])[]>>;
  readonly grad_weights: Readonly<Record<string, GoldenGradient | null>>;
}

interface GoldenGradient {
  readonly norm: number;
  /** The sum of g[i] cos(i + 1). */
  readonly dot_cos: number;
  /** In the padded batch only. */
  readonly shape?: readonly number[];
  readonly first50?: readonly number[];
}

export interface Golden {
  readonly name: string;
  readonly folder: string;
  readonly task: 'single' | 'regression' | 'multilabel' | 'mlm' | 'clm';
  readonly inputs: readonly string[];
  readonly word_embedding_modules: readonly string[];
  readonly cases: readonly GoldenCase[];
  /** Its ONNX files, by name. */
  readonly files: readonly string[];
}

/** Absent where ../shared is. */
export const goldens: readonly Golden[] = !existsSync(root)
  ? []
  : readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => {
        const folder = join(root, name);
        const golden = JSON.parse(readFileSync(join(folder, 'golden.json'), 'utf8')) as Golden;
        return { ...golden, name, folder, files: readdirSync(folder).filter((file) => file.endsWith('.onnx')) };
      });
