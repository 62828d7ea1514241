/** @file The white box of a user's own module or program. Its gradients are compared with finite differences before use. */
import type { EmbeddingGradient, Token, WhiteBox } from '../../core/classifier.js';
import { ModelError, must, UnsupportedOpError } from '../../core/errors.js';
import { random } from '../../core/random.js';
import type { InsideAnswer, InsideQuestion, ModuleInside } from '../../model/classifiers/module-inside.js';
import type { LoadedModel } from '../../model/loaded-model.js';
import { SAMPLES } from '../../model/opening/probe.js';
import { classifierQueue } from '../../model/workers/classifier-queue.js';

/** Largest part of a slope's size by which finite differences may miss it: they are taken over a step. */
const TOLERANCE = 0.05;
/** Slopes below it are rounding. */
const FLOOR = 1e-4;
/** Steps of the differences, as parts of the embeddings' size: the smaller for kinks, the larger for single precision. */
const STEPS = [1e-2, 1e-3];
/** Directions tried besides the gradient's own. */
const DIRECTIONS = 3;
/** Largest difference between the probabilities of a text and those of its embeddings. */
const SAME = 1e-3;

/** Throws ModelError (PLUGIN_DAMAGED) if its gradients are wrong, UnsupportedOpError if all of them are 0. */
export async function openModuleWhiteBox(
  model: LoadedModel,
  inside: ModuleInside,
): Promise<WhiteBox & { close(): Promise<void> }> {
  const box = new ModuleWhiteBox(model, inside, Float32Array.from(await inside.embeddingTable()));
  await box.check();
  return box;
}

class ModuleWhiteBox implements WhiteBox {
  readonly labels: readonly string[];
  readonly hidden: number;
  readonly loss = 'its own loss';
  readonly #model: LoadedModel;
  readonly #inside: ModuleInside;
  readonly #table: Float32Array;
  readonly #queue: ReturnType<typeof classifierQueue<InsideQuestion, InsideAnswer>>;

  constructor(model: LoadedModel, inside: ModuleInside, table: Float32Array) {
    this.labels = model.labels;
    this.hidden = inside.hidden;
    this.#model = model;
    this.#inside = inside;
    this.#table = table;
    if (this.#table.length === 0 || this.#table.length % this.hidden !== 0) {
      throw this.#invalid(`expected an embedding table of rows of ${this.hidden}, got ${this.#table.length} numbers`);
    }
    this.#queue = classifierQueue((questions) => inside.gradients(questions));
  }

  classify(texts: readonly string[]): Promise<Float32Array[]> {
    return this.#model.classify(texts);
  }

  async gradient(text: string, label: number): Promise<EmbeddingGradient> {
    const tokens = await this.#inside.tokens(text);
    return this.gradientAt(this.#embed(tokens), tokens, label);
  }

  async gradientAt(embeddings: Float32Array, tokens: readonly Token[], label: number): Promise<EmbeddingGradient> {
    const { probabilities, loss, values } = await this.#ask({ embeddings, tokens, label });
    const gradient = Float32Array.from(values ?? []);
    if (!Number.isFinite(loss) || gradient.length !== embeddings.length || !gradient.every(Number.isFinite)) {
      const got = `loss ${loss} and ${gradient.length} values`;
      throw this.#invalid(`expected gradients to give a loss and ${embeddings.length} finite values, got ${got}`);
    }
    return { tokens, loss: must(loss), probabilities, embeddings, values: gradient };
  }

  async classifyEmbeddings(batch: readonly Float32Array[], tokens: readonly Token[]): Promise<Float32Array[]> {
    const answers = await Promise.all(batch.map((embeddings) => this.#ask({ embeddings, tokens })));
    return answers.map(({ probabilities }) => probabilities);
  }

  async embeddingTable(): Promise<Float32Array> {
    return this.#table;
  }

  tokenText(id: number): string | undefined {
    return this.#inside.tokenText(id);
  }

  async close(): Promise<void> {}

  /** Holds probabilities against `classify`, and slopes of the loss along its gradient and other directions against differences. */
  async check(): Promise<void> {
    let steepest = 0;
    const draw = random(0, 'gradients of a module');
    for (const [at, text] of SAMPLES.entries()) {
      const label = at % this.labels.length;
      const { tokens, embeddings, probabilities, values } = await this.gradient(text, label);
      const [expected] = (await this.classify([text])) as [Float32Array];
      const apart = expected.reduce((most, p, i) => Math.max(most, Math.abs(p - probabilities[i]!)), 0);
      if (apart > SAME) {
        throw this.#wrong(text, `probabilities ${Array.from(expected)}, as classify gives them`, `${probabilities}`);
      }
      const steepness = Math.hypot(...values);
      steepest = Math.max(steepest, steepness);
      const size = Math.max(1, Math.hypot(...embeddings)) / Math.sqrt(tokens.length || 1);
      const directions = Array.from({ length: DIRECTIONS }, () => values.map(() => draw.unit() - 0.5));
      for (const along of [values, ...directions]) {
        const length = Math.hypot(...along);
        if (length === 0) continue;
        const direction = along.map((value) => value / length);
        const slope = direction.reduce((sum, value, i) => sum + value * values[i]!, 0);
        const measured = await Promise.all(
          STEPS.map((part) => this.#slope(embeddings, tokens, label, direction, part * size)),
        );
        const near = measured.some((difference) => Math.abs(difference - slope) <= TOLERANCE * steepness + FLOOR);
        if (!near)
          throw this.#wrong(
            text,
            `a slope of ${measured[0]?.toPrecision(4)} by finite differences`,
            slope.toPrecision(4),
          );
      }
    }
    if (steepest > 0) return;
    throw new UnsupportedOpError(`${this.#model.name}: its gradients are zero everywhere`, {
      code: 'GRADIENTS_UNSUPPORTED',
      hint: 'Attacks that need no gradients run on it.',
    });
  }

  /** (f(x + h d) - f(x - h d)) / 2h, by the places that single precision really reaches. */
  async #slope(
    embeddings: Float32Array,
    tokens: readonly Token[],
    label: number,
    direction: Float32Array,
    step: number,
  ): Promise<number> {
    const move = (by: number) => embeddings.map((value, i) => value + by * direction[i]!);
    const [up, down] = await Promise.all([step, -step].map((by) => this.gradientAt(move(by), tokens, label)));
    return (must(up).loss - must(down).loss) / (2 * step);
  }

  async #ask(question: InsideQuestion): Promise<InsideAnswer & { readonly probabilities: Float32Array }> {
    const answer = await this.#queue.ask(question);
    const probabilities = Float32Array.from(answer?.probabilities ?? []);
    if (probabilities.length !== this.labels.length || !probabilities.every((p) => p >= 0 && p <= 1)) {
      throw this.#invalid(`expected gradients to give ${this.labels.length} probabilities, got ${probabilities}`);
    }
    return { ...answer, probabilities };
  }

  /** The tokens' rows of the table, row-major [tokens, hidden]. */
  #embed(tokens: readonly Token[]): Float32Array {
    const { hidden } = this;
    const rows = new Float32Array(tokens.length * hidden);
    tokens.forEach(({ id }, at) => {
      if (!(id >= 0 && (id + 1) * hidden <= this.#table.length)) {
        throw this.#invalid(`expected token ids below ${this.#table.length / hidden}, got ${id}`);
      }
      rows.set(this.#table.subarray(id * hidden, (id + 1) * hidden), at * hidden);
    });
    return rows;
  }

  #wrong(text: string, expected: string, got: string): ModelError {
    return new ModelError(`${this.#model.name}: gradients: "${text}": expected ${expected}, got ${got}`, {
      code: 'PLUGIN_DAMAGED',
      hint: 'gradients is to give probabilities, loss and d(loss)/d(embeddings) of the same function as classify.',
    });
  }

  #invalid(what: string): ModelError {
    return new ModelError(`${this.#model.name}: ${what}`, {
      code: 'PLUGIN_DAMAGED',
      hint: 'docs/reference/models.md shows a module with gradients.',
    });
  }
}
