/** @file A user's own victim: any JavaScript module whose default export has `labels`, and `classify`, `tag` or `redact`. */
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { z } from 'zod';
import { defined } from '../../core/defined.js';
import { EXIT, ModelGone, messageOf, RobustError } from '../../core/errors.js';
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
import { display, HINT, invalid, type OwnAnswers, type OwnVictim, ownAnswers } from './module-answers.js';
import { withoutFaults } from './module-faults.js';
import { insideOf, type ModuleInside } from './module-inside.js';
import { tagObserver } from './tag-observer.js';

/**
 * Throws ModelError (PLUGIN_DAMAGED) where the module cannot be imported or exports something else. Once an answer has taken longer than
 * `patience` allows, all questions fail at once with ModelGone (MODEL_UNREACHABLE).
 */
export async function openModule(file: ModuleFile, options: LoadOptions): Promise<LoadedModel> {
  const { patience = NO_TIME_LIMIT } = options;
  const late = (): ModelGone => timedOut(file.path, patience.seconds);
  const path = await moduleFile(file.path, { what: 'a victim', hint: HINT });
  const inner = await withinTime(patience, file.path, () => importVictim(path, file, options), late);
  let gone: ModelGone | undefined;
  const own = ownAnswers(file.path, inner, options);
  const call: Parameters<OwnAnswers['rows']>[1] = (name, given) =>
    withoutFaults(file.path, () =>
      withinTime(
        patience,
        file.path,
        () => inner[name]?.(given as string & string[]),
        () => (gone = late()),
      ),
    ).catch((error: unknown) => {
      if (error instanceof ModelGone) gone = error;
      const [text] =
        typeof given === 'string'
          ? [given]
          : (given as readonly string[]).length === 1
            ? (given as readonly string[])
            : [];
      throw userError(file.path, text === undefined ? `: ${name}` : `: ${name} of ${display(text)}`, error);
    });
  const queue = classifierQueue(async (texts: readonly string[]) => {
    if (gone !== undefined) throw gone;
    // A pair is given as both of its texts: what the module declares of its argument is no more than a promise of ours.
    const given = texts.map((text) => {
      const parts = queryParts(text);
      return parts.length === 1 ? text : parts;
    }) as readonly string[];
    return own.rows(given, call);
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
      labels: own.labels,
      ...defined({
        output: own.output,
        tags: own.tags && tagObserver(own.tags, (text) => queue.ask(text)),
      }),
      maximumTokens: Number.POSITIVE_INFINITY,
      again: (texts) => Promise.all(texts.map((text) => queue.ask(text))),
      figures: () => ({ ...queue.figures, truncated: 0 }),
      close: async () => {},
    },
    async (text) => own.tags?.row(text) ?? queue.ask(text),
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

async function importVictim(file: string, { path, given }: ModuleFile, { decision }: LoadOptions): Promise<OwnVictim> {
  let exported: unknown;
  try {
    exported = await importDefault(file, path);
    if (isMaker(exported)) exported = await exported.create(parseOptions(exported, given));
    else if (given.size > 0) throw new Error(`it takes no options, got ${[...given.keys()].join(', ')}`);
  } catch (cause) {
    if (cause instanceof RobustError && cause.exit === EXIT.usage) throw cause;
    throw invalid(path, `it cannot be imported: ${messageOf(cause)}`, cause);
  }
  if (!isVictim(exported, decision))
    throw invalid(
      path,
      `expected a default export { labels, classify }, or with tag or redact, got ${display(exported)}`,
    );
  return exported;
}

const isMaker = (value: unknown): value is VictimPlugin =>
  typeof value === 'object' &&
  value !== null &&
  'create' in value &&
  typeof value.create === 'function' &&
  'options' in value &&
  value.options instanceof z.ZodType;

function insideOrRefuse(classifier: OwnVictim, path: string): ModuleInside | undefined {
  try {
    return insideOf(classifier);
  } catch (cause) {
    throw invalid(path, messageOf(cause), cause);
  }
}

const FUNCTIONS = ['classify', 'tag', 'redact'] as const;
const declared = z.object({
  labels: z.array(z.string()).min(1),
  scores: z.enum(['probabilities', 'logits', 'labels']).optional(),
  tie: z.string().optional(),
});

/** A regression has one label, the name of its number, and what tags has one at least. */
function isVictim(value: unknown, decision: LoadOptions['decision']): value is OwnVictim {
  if (typeof value !== 'object' || value === null) return false;
  const { data } = declared.safeParse(value);
  const found = FUNCTIONS.filter((name) => name in value && typeof value[name as never] === 'function');
  if (data === undefined || found.length !== 1) return false;
  const count = data.labels.length;
  return found[0] !== 'classify' || (decision === 'regression' ? count === 1 : count >= 2);
}

const timedOut = (path: string, seconds: number): ModelGone =>
  new ModelGone(`${path}: expected an answer within ${seconds} s, got none`, {
    code: 'MODEL_UNREACHABLE',
    hint: 'Mend the module, or allow more time: --runtime timeout=SECONDS (0: any).',
  });
