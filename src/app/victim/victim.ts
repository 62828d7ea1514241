/** @file Opening what `--model`, `--defend` and `--data` name. */
import { createHash } from 'node:crypto';
import type { CheckedDataset } from '../../../datasets/index.js';
import type { DecisionRule } from '../../core/decision.js';
import { UsageError } from '../../core/errors.js';
import type { Language } from '../../core/language.js';
import { type LoadedModel, type LoadOptions, loadModel } from '../../model/load.js';
import { readPartOf } from '../../model/tokens/read-part.js';
import { unreadableBy } from '../../model/tokens/unreadable.js';
import type { Repeating, Unpinned } from '../../run/index.js';
import type { Context } from '../context.js';
import { type DataLoading, openData } from '../data/open-data.js';
import { openLanguage } from '../language.js';
import { profiledLanguage } from '../profiled-language.js';
import { columnsFor, columnsOf, selectionOf, type TextColumns } from './columns.js';
import { askedDecision, type DecisionChoice, settledDecision } from './decide.js';
import type { DefendedVictim } from './defend.js';
import { checkNumbered, namedLabels, unnamed } from './nli-labels.js';

export interface VictimChoice extends TextColumns, DecisionChoice {
  readonly model: string;
  readonly data: string;
  readonly numExamples?: number;
  readonly shuffle?: boolean | undefined;
  readonly offset?: number | undefined;
  readonly precision?: LoadOptions['precision'] | undefined;
  readonly device?: LoadOptions['device'] | undefined;
  readonly seed?: number;
  readonly force?: boolean;
  readonly windows?: 'max' | 'mean' | undefined;
  readonly stride?: number | undefined;
  readonly defend?: readonly string[] | undefined;
  readonly language?: string | undefined;
}

export interface OpenVictim {
  readonly model: LoadedModel;
  readonly dataset: CheckedDataset;
  /** Of the texts. */
  readonly language: Language;
  /** The model behind its defences; its own name and hash say so. */
  readonly defence: DefendedVictim | undefined;
  /** What the scores mean. @default the most probable label */
  readonly decision?: DecisionRule | undefined;
}

/** Largest difference between two answers to one text, as far as the endpoint's probe found one. A defence has noise of its own. */
export const noiseOf = ({ model, defence }: Pick<OpenVictim, 'model' | 'defence'>): number =>
  defence === undefined && model.remote ? Math.max(model.remote.probe.repeated, model.remote.probe.company) : 0;

/** What answers, and what it is called: the model, or the model behind its defences. */
export function answeringClassifier({
  model,
  defence,
  decision,
}: Pick<OpenVictim, 'model' | 'defence'> & Pick<Partial<OpenVictim>, 'decision'>) {
  const approximation = defence === undefined ? model.approximation : defence.approximation;
  const repeating = repeatingModel(model);
  const unreadable = unreadableBy(model);
  const unpinned = defence === undefined ? unpinnedModel(model) : defence.unpinned;
  const shared = {
    ...(repeating && { repeating }),
    ...(unpinned && { unpinned }),
    ...(unreadable && { unreadable }),
    ...(model.limit && { limit: model.limit }),
    ...(model.output && { output: model.output }),
    ...(decision && { decision }),
    ...(approximation && { approximation }),
  };
  if (defence === undefined) {
    // A defence has votes of its own.
    const noise = noiseOf({ model, defence });
    const again = repeating ? { again: repeating.again } : {};
    // What a defence makes of a text may be shorter, or longer.
    const read = readPartOf(model);
    const own = { classifier: model, name: model.name, sha256: model.sha256, ...(noise > 0 && { noise }) };
    return { ...own, ...shared, ...again, ...(read && { read }) };
  }
  return {
    ...shared,
    classifier: defence.classifier,
    name: model.name + defence.suffix,
    sha256: createHash('sha256').update(model.sha256).update(defence.fingerprint).digest('hex'),
    defence: defence.conditions,
  };
}

/** The model, where its answers may vary: a module, or an endpoint that gave the same text different scores. */
export function repeatingModel({ classify, again, remote }: LoadedModel): Repeating | undefined {
  const varying = remote === undefined ? again : remote.probe.repeated > 0 ? remote.again : undefined;
  return varying && { classify, again: async (text) => (await varying([text]))[0] as Float32Array };
}

/** The model, where its hash does not fix its answers: a module or an endpoint. */
export function unpinnedModel({ again, remote }: LoadedModel): Unpinned | undefined {
  if (remote !== undefined) return { classify: remote.again, remembered: remote.remembered };
  return again && { classify: again };
}

/** What a user should know of defences that had no effect. */
export const unusedDefences = ({ defence }: OpenVictim): string[] =>
  (defence?.idle() ?? []).map(({ name, read }) => `${name} changed none of the ${read} texts it read`);

/** How a run that others began or compute opens its victim. */
interface VictimOpening {
  /** A file with answers of an endpoint, from an earlier session. */
  readonly answers?: string | undefined;
  /** The device is one of other machines. */
  readonly deviceElsewhere?: boolean | undefined;
}

/** Loads the model, then the data with its labels. Throws ModelError, DatasetError, UsageError. */
export async function openVictim(
  choice: VictimChoice,
  context: Context,
  { answers, deviceElsewhere }: VictimOpening = {},
): Promise<OpenVictim> {
  const { precision, device, windows, stride } = choice;
  if (stride !== undefined && windows === undefined) {
    throw new UsageError('--windows stride: expected max or mean, got neither', {
      code: 'WINDOWS',
      hint: 'For example: --windows mean:stride=128',
    });
  }
  const decision = askedDecision(choice);
  if (decision === 'regression') checkNumber(choice);
  const loading = context.loading(choice.model);
  const loaded = await loadModel(choice.model, {
    ...loading,
    ...{ remote: { ...loading.remote, answers }, deviceElsewhere, precision, device, decision },
    windows: windows && { by: windows, stride },
  });
  context.opened.add(loaded);
  const kind = decision ?? loaded.decision?.kind;
  if (kind === 'regression') checkNumber(choice);
  if (loaded.pairs && loaded.columns?.texts === undefined && choice.textColumns === undefined)
    throw pairsNeeded(loaded);
  const mapped = Object.values(choice.labelMap ?? {}).some((to) => /^(LABEL_)?\d$/i.test(to));
  // Models of entailment order their labels differently; a model without label names is tested with known pairs.
  const ordered = choice.textColumns && unnamed(loaded.labels) && kind === undefined && !mapped && !choice.force;
  if (ordered) await checkNumbered(choice.data, columnsOf(choice), context.data);
  const model = ordered ? await namedLabels(loaded, context.data) : loaded;
  const columns = columnsFor(choice, model, kind);
  const { onWarning, ...quietly } = context.data;
  const texts = () => openData(choice.data, columns, quietly, { ...selectionOf(choice), numExamples: 0 });
  const spoken = await openLanguage(choice.language, context.patience, texts, onWarning);
  const { profile } = context.hooks;
  const language = profile ? profiledLanguage(spoken, profile) : spoken;
  const dataset = await openData(choice.data, columns, context.data, selectionOf(choice));
  const defence = await behindDefences(choice, model, language, context);
  const rule = await settledDecision(choice, model, defence?.classifier ?? model, dataset, context.data);
  return { model, dataset, language, defence, decision: rule };
}

const pairsNeeded = ({ name, labels }: LoadedModel): UsageError =>
  new UsageError(`${name}: expected pairs of texts, got lone texts: its labels are ${labels.join(', ')}`, {
    code: 'PAIRS_NEEDED',
    hint: 'Name both columns, in the order in which the model reads them: --columns pair=premise,hypothesis.',
  });

/** Throws UsageError for what votes among labels, or compares them. */
function checkNumber({ defend, precision, device = 'cpu' }: VictimChoice): void {
  const rough = precision === 'int8' ? '--precision int8' : device === 'cpu' ? undefined : '--device';
  const unfit = defend?.length ? '--defend' : rough;
  if (unfit === undefined) return;
  throw new UsageError(`${unfit}: expected a model of labels, got a number (--task regression)`, {
    code: 'REGRESSION_UNSUPPORTED',
    hint: `Leave ${unfit} out: it votes on labels, or compares them.`,
  });
}

/** The model behind its defences; undefined without any. Throws UsageError, DatasetError. */
export async function behindDefences(
  { defend, seed = 42 }: Pick<VictimChoice, 'defend' | 'seed'>,
  model: LoadedModel,
  language: Language,
  { data, patience }: Pick<Context, 'data' | 'patience'>,
): Promise<DefendedVictim | undefined> {
  if (defend === undefined || defend.length === 0) return undefined;
  const { defend: behind } = await import('./defend.js');
  return behind(defend, model, seed, language, textsOf(data), patience);
}

/** Reads the texts of a file, for a defence to learn from. */
export const textsOf =
  (loading: DataLoading) =>
  async (file: string): Promise<string[]> => {
    const texts: string[] = [];
    for await (const { text } of (await openData(file, {}, loading)).examples()) texts.push(text);
    return texts;
  };
