/** @file Opening what `--model`, `--defend` and `--data` name. */
import { createHash } from 'node:crypto';
import { type CheckedDataset, perEntity } from '../../../datasets/index.js';
import type { WindowVotes } from '../../core/certificate.js';
import type { Dataset } from '../../core/dataset.js';
import type { DecisionRule } from '../../core/decision.js';
import { defined } from '../../core/defined.js';
import { must, RobustError } from '../../core/errors.js';
import { quantity } from '../../core/figure-text.js';
import type { Language } from '../../core/language.js';
import { collect } from '../../core/take.js';
import { type LoadedModel, loadModel } from '../../model/load.js';
import { piecesOf, readPartOf } from '../../model/tokens/read-part.js';
import { unreadableBy } from '../../model/tokens/unreadable.js';
import type { Repeating, Unpinned } from '../../run/index.js';
import { isUnbounded } from '../../tasks/words.js';
import type { Context } from '../context.js';
import { type DataLoading, openData } from '../data/open-data.js';
import { openLanguage } from '../language.js';
import type { DefenceChoice, VictimChoice } from './choice.js';
import { columnsFor } from './columns.js';
import { settledDecision } from './decide.js';
import type { DefendedVictim } from './defend.js';

export interface OpenVictim {
  readonly model: LoadedModel;
  readonly dataset: CheckedDataset;
  /** The language of the texts. */
  readonly language: Language;
  /** The model behind its defences; its own name and hash say so. */
  readonly defence: DefendedVictim | undefined;
  /** The meaning of the scores. @default the most probable label */
  readonly decision?: DecisionRule | undefined;
}

/** Largest difference between two answers to one text, as far as the endpoint's probe found one. A defence has noise of its own. */
export const noiseOf = ({ model, defence }: Pick<OpenVictim, 'model' | 'defence'>): number =>
  defence === undefined && model.remote ? Math.max(model.remote.probe.repeated, model.remote.probe.company) : 0;

/** The classifier that answers, and its name: the model, or the model behind its defences. */
export const answererOf = ({ model, defence }: Pick<OpenVictim, 'model' | 'defence'>) =>
  defence === undefined
    ? { classifier: model, name: model.name }
    : { classifier: defence.classifier, name: model.name + defence.suffix };

/** The answering classifier with all that a run knows of it. */
export function answeringClassifier({ model, defence, decision }: Omit<OpenVictim, 'dataset' | 'language'>) {
  const approximation = defence === undefined ? model.approximation : defence.approximation;
  const repeating = repeatingModel(model);
  const unpinned = defence === undefined ? unpinnedModel(model) : defence.unpinned;
  // A defence has votes of its own.
  const votes = defence === undefined && decision === undefined ? votesOf(model) : undefined;
  const shared = defined({
    repeating,
    unpinned,
    unreadable: unreadableBy(model),
    limit: model.limit,
    output: model.output,
    decision,
    approximation,
  });
  if (defence === undefined) {
    const noise = noiseOf({ model, defence });
    const again = repeating ? { again: repeating.again } : {};
    // A defence may make a text shorter, or longer.
    const [read, pieces] = [readPartOf(model), piecesOf(model)];
    const own = { ...answererOf({ model, defence }), sha256: model.sha256, ...(noise > 0 && { noise }) };
    return { ...own, ...shared, ...again, ...defined({ read, pieces, votes, tags: model.tags }) };
  }
  return {
    ...shared,
    ...defined({ tags: defence.tags }),
    ...answererOf({ model, defence }),
    sha256: createHash('sha256').update(model.sha256).update(defence.fingerprint).digest('hex'),
    defence: defence.conditions,
  };
}

/** Values of `model_type` whose windows vote; what they prove is computed from the weights. */
const VOTING: readonly string[] = ['char-cnn', 'word-votes'];

/** The votes of a model that has some, opened once and on first use. */
function votesOf({ onnx, maximumTokens, output }: LoadedModel): (() => Promise<WindowVotes | undefined>) | undefined {
  if (!VOTING.includes(onnx?.modelType ?? '') || onnx === undefined || output?.windows !== undefined) return undefined;
  let opened: Promise<WindowVotes | undefined> | undefined;
  return () => {
    opened ??= import('../../train/window-votes.js').then(({ windowVotes }) => windowVotes(onnx, maximumTokens));
    return opened;
  };
}

/** The model, where its answers may vary: a module, or an endpoint that gave the same text different scores. */
export function repeatingModel({ classify, again, remote }: LoadedModel): Repeating | undefined {
  const varying = remote === undefined ? again : remote.probe.repeated > 0 ? remote.again : undefined;
  return varying && { classify, again: async (text) => must((await varying([text]))[0]) };
}

/** The model, where its hash does not fix its answers: a module or an endpoint. */
function unpinnedModel({ again, remote }: LoadedModel): Unpinned | undefined {
  if (remote !== undefined) return { classify: remote.again, remembered: remote.remembered };
  return again && { classify: again };
}

/** Warnings of defences that had no effect. */
export const unusedDefences = ({ defence }: OpenVictim): string[] =>
  (defence?.idle() ?? []).map(({ name, read }) => `${name} changed none of the ${quantity(read, 'text')} it read`);

/** How a run that others began or compute opens its victim. */
interface VictimOpening {
  /** A file with answers of an endpoint, from an earlier session. */
  readonly answers?: string | undefined;
  /** The device is one of other machines. */
  readonly deviceElsewhere?: boolean | undefined;
}

/** Loads the model, then the data with its labels. Throws ModelError, RobustError. */
export async function openVictim(
  choice: VictimChoice,
  context: Context,
  opening: VictimOpening = {},
): Promise<OpenVictim> {
  const { data, decision } = choice;
  if (isUnbounded(decision.kind)) checkNumber(choice);
  if (decision.tags !== undefined) checkTags(choice);
  const model = await openModel(choice, context, opening);
  const kind = decision.kind ?? model.decision?.kind;
  if (isUnbounded(kind)) checkNumber(choice);
  if (model.pairs && model.columns?.texts === undefined && data.columns.textColumns === undefined)
    throw pairsNeeded(model);
  const columns = columnsFor(data.columns, model, kind);
  const { onWarning, ...quietly } = context.data;
  const texts = () => openData(data.name, columns, quietly, { ...data.selection, numExamples: 0 });
  const language = await openLanguage(choice.language, context.patience, texts, onWarning);
  const opened = await openData(data.name, columns, context.data, data.selection);
  const dataset = opened.tagged
    ? perEntity(opened, data.selection.numExamples ?? 0, decision.tags?.share !== undefined)
    : opened;
  const defence = await behindDefences(choice.defences, model, language, context);
  const settling = { dataset, columns: data.columns, numExamples: data.selection.numExamples };
  const rule = await settledDecision(decision, model, defence?.classifier ?? model, settling, context.data);
  return { model, dataset, language, defence, decision: rule };
}

async function openModel(
  { model, opening, decision }: VictimChoice,
  context: Context,
  { answers, deviceElsewhere }: VictimOpening,
): Promise<LoadedModel> {
  const { remote, ...loading } = context.loading(model);
  const options = {
    ...loading,
    ...opening,
    remote: { ...remote, answers },
    deviceElsewhere,
    decision: decision.kind,
    tags: decision.tags,
  };
  return context.opened.add(await loadModel(model, options));
}

const pairsNeeded = ({ name, labels }: LoadedModel): RobustError =>
  new RobustError(`${name}: expected pairs of texts, got lone texts: its labels are ${labels.join(', ')}`, {
    code: 'PAIRS_MISMATCH',
    hint: 'Name both columns, in the order in which the model reads them: --columns pair=premise,hypothesis.',
  });

/** Throws RobustError for what votes among labels, or compares them. */
function checkNumber({ defences, opening: { precision, device = 'cpu' } }: VictimChoice): void {
  const rough = precision === 'int8' ? '--runtime precision=int8' : device === 'cpu' ? undefined : '--runtime device';
  const unfit = defences.specs.length > 0 ? '--defend' : rough;
  refuse(unfit, 'a number (--task regression)', ': it votes on labels, or compares them');
}

/** Throws RobustError for what knows texts without entities. */
function checkTags({ defences, data: { columns }, opening: { precision } }: VictimChoice): void {
  const rough =
    defences.specs.length > 0 && precision === 'int8' ? '--runtime precision=int8 with --defend' : undefined;
  refuse(columns.textColumns ? '--columns pair' : rough, 'one that tags (--task tags)');
}

function refuse(flag: string | undefined, got: string, why = ''): void {
  if (flag === undefined) return;
  throw new RobustError(`${flag}: expected a model of labels, got ${got}`, {
    code: 'TASK_UNSUPPORTED',
    hint: `Leave ${flag} out${why}.`,
  });
}

/** Number of examples to take: a data set with entities contains only the requested texts. */
export const examplesTaken = ({ tagged }: Pick<Dataset, 'tagged'>, numExamples: number): number =>
  tagged ? 0 : numExamples;

/** The model behind its defences; undefined without any. Throws RobustError. */
export async function behindDefences(
  { specs, seed }: DefenceChoice,
  model: LoadedModel,
  language: Language,
  { data, patience }: Pick<Context, 'data' | 'patience'>,
): Promise<DefendedVictim | undefined> {
  if (specs.length === 0) return undefined;
  const { defend } = await import('./defend.js');
  return defend(specs, model, seed, language, textsOf(data), patience);
}

/** Reads the texts of a file, for a defence to learn from. */
export const textsOf =
  (loading: DataLoading) =>
  async (file: string): Promise<string[]> => {
    const examples = await collect((await openData(file, {}, loading)).examples());
    return examples.map(({ text }) => text);
  };
