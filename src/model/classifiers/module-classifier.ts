/** @file A user's own classifier: any JavaScript module whose default export has `labels` and `classify`. */
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Classifier } from '../../core/classifier.js';
import { EXIT, ModelError, ModelGone, messageOf, RobustError } from '../../core/errors.js';
import { queryParts } from '../../core/pair.js';
import { NO_TIME_LIMIT, withinTime } from '../../core/patience.js';
import { labelOf, parseOptions } from '../../core/plugin-options.js';
import { guarded, userError } from '../../core/user-code.js';
import type { VictimPlugin } from '../../core/victim-plugin.js';
import { importDefault, moduleFile } from '../../modules/own-module.js';
import { type LoadedModel, type LoadOptions, loadedModel } from '../loaded-model.js';
import { fingerprint } from '../opening/fingerprint.js';
import type { ModuleFile } from '../opening/resolve.js';
import { classifierQueue } from '../workers/classifier-queue.js';
import { withoutFaults } from './module-faults.js';
import { insideOf, type ModuleInside } from './module-inside.js';

/**
 * Throws ModelError (PLUGIN_DAMAGED) where the module cannot be imported or exports something else. Once an answer has taken longer than
 * `patience` allows, all questions fail at once with ModelGone (MODEL_UNREACHABLE).
 */
export async function openModule(file: ModuleFile, options: LoadOptions): Promise<LoadedModel> {
  const { patience = NO_TIME_LIMIT } = options;
  const number = options.decision === 'regression';
  const late = (): ModelGone => timedOut(file.path, patience.seconds);
  const path = await moduleFile(file.path, { what: 'a victim', hint: HINT });
  const inner = await withinTime(patience, file.path, () => importClassifier(path, file, number), late);
  let gone: ModelGone | undefined;
  const labels = options.labels ?? inner.labels;
  const queue = classifierQueue(async (texts: readonly string[]) => {
    if (gone !== undefined) throw gone;
    // A pair is given as both of its texts: what the module declares of its argument is no more than a promise of ours.
    const given = texts.map((text) => {
      const parts = queryParts(text);
      return parts.length === 1 ? text : parts;
    }) as readonly string[];
    const answer = (): unknown => inner.classify(given);
    const rows = await withoutFaults(file.path, () =>
      withinTime(patience, file.path, answer, () => (gone = late())),
    ).catch((error: unknown) => {
      if (error instanceof ModelGone) gone = error;
      throw userError(file.path, texts.length === 1 ? `: classify of ${display(texts[0])}` : ': classify', error);
    });
    if (!Array.isArray(rows) || rows.length !== texts.length) {
      throw invalid(file.path, `expected ${texts.length} rows for as many texts, got ${display(rows)}`);
    }
    return rows.map((row) => checkRow(row, labels, file.path, number));
  });
  const inside = guarded(insideOrRefuse(inner, file.path), file.path);
  return loadedModel(
    {
      name: file.name,
      ...(inside && {
        inside: {
          hidden: inside.hidden,
          tokens: (text) => inside.tokens(text),
          embeddingTable: () => inside.embeddingTable(),
          tokenText: (id) => inside.tokenText(id),
          async gradients(questions) {
            if (gone !== undefined) throw gone;
            const answer = () => inside.gradients(questions);
            const answers: unknown = await withinTime(patience, file.path, answer, () => (gone = late()));
            if (Array.isArray(answers) && answers.length === questions.length) return answers;
            throw invalid(file.path, `gradients: expected ${questions.length} answers, got ${display(answers)}`);
          },
        } satisfies ModuleInside,
      }),
      sha256: withOptions(await fingerprint(dirname(path), [path]), file),
      paths: [path],
      labels,
      maximumTokens: Number.POSITIVE_INFINITY,
      again: (texts) => Promise.all(texts.map((text) => queue.ask(text))),
      figures: () => ({ ...queue.figures, truncated: 0 }),
      close: async () => {},
    },
    (text) => queue.ask(text),
    options,
  );
}

/** The same module with other options is another victim. */
function withOptions(sha256: string, { given }: ModuleFile): string {
  return given.size === 0
    ? sha256
    : createHash('sha256')
        .update(`${sha256} ${labelOf('', given)}`)
        .digest('hex');
}

async function importClassifier(file: string, { path, given }: ModuleFile, number: boolean): Promise<Classifier> {
  let exported: unknown;
  try {
    exported = await importDefault(file, path);
    if (isMaker(exported)) exported = await exported.create(parseOptions(exported, given));
    else if (given.size > 0) throw new Error(`it takes no options, got ${[...given.keys()].join(', ')}`);
  } catch (cause) {
    if (cause instanceof RobustError && cause.exit === EXIT.usage) throw cause;
    throw invalid(path, `it cannot be imported: ${messageOf(cause)}`, cause);
  }
  if (!isClassifier(exported, number ? 1 : 2))
    throw invalid(path, `expected a default export { labels, classify }, got ${display(exported)}`);
  return exported;
}

const isMaker = (value: unknown): value is VictimPlugin =>
  typeof value === 'object' &&
  value !== null &&
  'create' in value &&
  typeof value.create === 'function' &&
  'options' in value &&
  value.options instanceof z.ZodType;

function insideOrRefuse(classifier: Classifier, path: string): ModuleInside | undefined {
  try {
    return insideOf(classifier);
  } catch (cause) {
    throw invalid(path, messageOf(cause), cause);
  }
}

/** `least`: labels; a regression has one, the name of its number. */
function isClassifier(value: unknown, least: 1 | 2): value is Classifier {
  if (typeof value !== 'object' || value === null || !('labels' in value) || !('classify' in value)) return false;
  const { labels, classify } = value;
  return (
    Array.isArray(labels) &&
    (least === 1 ? labels.length === 1 : labels.length >= least) &&
    labels.every((label) => typeof label === 'string') &&
    typeof classify === 'function'
  );
}

function checkRow(row: unknown, labels: readonly string[], path: string, number: boolean): Float32Array {
  const values = row instanceof Float32Array ? row : Array.isArray(row) ? Float32Array.from(row) : undefined;
  if (
    values === undefined ||
    values.length !== labels.length ||
    !values.every((p) => (number ? Number.isFinite(p) : p >= 0 && p <= 1))
  ) {
    throw invalid(
      path,
      `expected ${number ? 'one number' : `${labels.length} probabilities`} per text, got ${display(row)}`,
    );
  }
  return values;
}

const timedOut = (path: string, seconds: number): ModelGone =>
  new ModelGone(`${path}: expected an answer within ${seconds} s, got none`, {
    code: 'MODEL_UNREACHABLE',
    hint: 'Mend the module, or allow more time: --runtime timeout=SECONDS (0: any).',
  });

const HINT =
  'Export default { labels: ["negative", "positive"], classify: async (texts) => texts.map(() => [0.5, 0.5]) }; with --task regression one label, the name of the number, and rows of one. See docs/reference/plugins.md.';

/** NaN and infinities as what they are, which JSON calls null. */
const display = (value: unknown): string =>
  (
    JSON.stringify(value, (_, each: unknown) =>
      typeof each === 'number' && !Number.isFinite(each) ? String(each) : each,
    ) ?? typeof value
  )
    .replaceAll(/"(NaN|-?Infinity)"/g, '$1')
    .slice(0, 100);

function invalid(path: string, what: string, cause?: unknown): ModelError {
  return new ModelError(`${path}: ${what}`, { code: 'PLUGIN_DAMAGED', hint: HINT, cause });
}
