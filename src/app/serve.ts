/** @file A model, or a model behind defences, served over HTTP: to be attacked as a deployed one is, and as a test double of other servers. */

import type { GivenValues, Values } from '../config/setting.js';
import { serveSettings } from '../config/settings/index.js';
import type { Classifier } from '../core/classifier.js';
import { closingOnError } from '../core/closing-stack.js';
import { type DecisionRule, decisionOf, decisionText } from '../core/decision.js';
import { defined } from '../core/defined.js';
import { ModelError, type ModelGone, UsageError } from '../core/errors.js';
import { PAIR_SEPARATOR, queryParts } from '../core/pair.js';
import { isLoopback } from '../http/server.js';
import { type LoadedModel, loadModel } from '../model/load.js';
import type { WrittenDecision } from '../model/opening/manifest.js';
import { servedProtocols } from '../protocols/index.js';
import type { ServedKind, ServedModel, ServerEnd } from '../protocols/server.js';
import type { RequestEntry } from '../serve/request-entry.js';
import { listen } from '../serve/server.js';
import { Context, toolVersion, type UseCaseHooks, withDefaults } from './context.js';
import { openLanguage } from './language.js';
import { attackOn } from './runs/next-command.js';
import { stopping } from './stopping.js';
import { defenceChoice } from './victim/choice.js';
import { type DecisionChoice, decisionChoice, decisionWithoutData, writtenDelta } from './victim/decide.js';
import { answeringClassifier, behindDefences, observeAt } from './victim/victim.js';

export interface ServeOptions extends GivenValues<typeof serveSettings>, UseCaseHooks {
  /** Called for each request answered. */
  onRequest?(entry: RequestEntry): void;
}

/** Totals of a server. */
export interface ServingTotals {
  readonly requests: number;
  /** Requests answered with status 400 and above. */
  readonly refused: number;
  readonly texts: number;
}

export interface RunningServer {
  /** "http://127.0.0.1:8000" */
  readonly url: string;
  readonly port: number;
  readonly model: { readonly name: string; readonly sha256: string; readonly labels: readonly string[] };
  /** The decision by the scores: "injection from a score of 0.83 on". Absent where the most probable label is. */
  readonly decision?: string;
  /** It reads pairs of texts, and refuses lone ones. */
  readonly pairs?: true;
  /** Each with the word behind `robust attack --model` that reaches it, where there is one. */
  readonly protocols: readonly { readonly name: string; readonly model?: string }[];
  /** The command that attacks the model by the first of these protocols that needs no file but the data. */
  readonly attack?: string;
  /** Settles once it has stopped; rejects with a ModelError where the model answers nothing any more. */
  readonly stopped: Promise<ServingTotals>;
  /** Lets requests under way end. */
  close(): Promise<ServingTotals>;
}

/** Serves until `signal` or `close` stops it. Throws ModelError, UsageError, DatasetError. */
export async function serve({ onRequest, ...options }: ServeOptions = {}): Promise<RunningServer> {
  const choice = withDefaults(serveSettings, options);
  const context = new Context(options, choice);
  return closingOnError(context.opened, async (opened) => {
    const served = await openServed(choice, context);
    const protocols = fittingProtocols(choice.protocols, served);
    const { host, port, scores: kind, datatype, maxBatch, maxQueue, grace, requestTimeout: timeout } = choice;
    let gone: ModelGone | undefined;
    const server = await listen({
      ...{ model: served, protocols, kind, datatype, toolVersion, host, port, maxBatch, maxQueue, timeout, grace },
      maxBody: Math.floor(choice.maxBody * 2 ** 20),
      ...defined({ onRequest }),
      onGone: (error) => {
        gone ??= error;
        void close();
      },
      onDefect: (error) => {
        context.warn(`internal error, answered by status 500: ${error instanceof Error ? error.message : error}`);
        if (error instanceof Error) options.onDetail?.(error.stack ?? error.message);
      },
    });
    const { stopped, close } = stopping(options.signal, async (): Promise<ServingTotals> => {
      await server.close();
      await opened.close();
      if (gone !== undefined) throw gone;
      const { requests, refused, texts } = server.answers.metrics;
      return { requests, refused, texts };
    });
    if (!isLoopback(host)) {
      context.warn(
        `${host} may be reached from other machines, and whoever reaches it may ask: no password, no encryption`,
      );
    }
    const reached = protocols.map((protocol) => ({ protocol, spec: addressOf(protocol, server.url, served.name) }));
    const first = reached.find(
      ({ protocol, spec }) =>
        spec !== undefined && (served.kinds ?? []).every((each) => announced(protocol.server, each)),
    );
    const rule = served.decision?.rule;
    return {
      url: server.url,
      port: server.port,
      model: { name: served.name, sha256: served.sha256, labels: served.labels },
      ...(rule && { decision: rule.kind === 'regression' ? 'a number' : decisionText(rule) }),
      ...(served.kinds?.includes('pairs') && { pairs: true as const }),
      protocols: reached.map(({ protocol: { name }, spec }) => ({ name, ...defined({ model: spec }) })),
      ...(first && { attack: attackBy(first.protocol.server, first.spec!, served) }),
      stopped,
      close,
    };
  });
}

type OfferedProtocol = (typeof servedProtocols)[number];

/** The word behind `robust attack --model` that reaches a served model by a protocol, where there is one. */
function addressOf({ name, client, server }: OfferedProtocol, url: string, model: string): string | undefined {
  const path = server.path?.(encodeURIComponent(model));
  return path === undefined ? undefined : `${client?.prefix ?? name}+${url}${path}`;
}

/** The protocols chosen that carry what the model reads and answers. Throws UsageError where one that was named does not. */
function fittingProtocols(
  chosen: Values<typeof serveSettings>['protocols'],
  { name: model, kinds = [] }: ServedModel,
): typeof servedProtocols {
  const lacks = ({ server: { carries = [] } }: OfferedProtocol): ServedKind | 'labels' | undefined =>
    kinds.find((kind) => !carries.includes(kind)) ??
    (carries.includes('spans') && !kinds.includes('spans') ? 'labels' : undefined);
  const fitting = servedProtocols.filter((each) => lacks(each) === undefined);
  if (chosen.includes('all')) return fitting;
  const named = servedProtocols.filter(({ name }) => chosen.includes(name));
  const unfit = named.find((each) => lacks(each) !== undefined);
  if (unfit === undefined) return named;
  throw new UsageError(
    `--protocol ${unfit.name}: expected a protocol that carries ${CARRIED[lacks(unfit)!]}, as ${model} needs`,
    {
      code: 'PROTOCOL_UNFIT',
      hint: `Give --protocol ${fitting.map(({ name }) => name).join(' or ')}, or leave it out for all that fit.`,
    },
  );
}

/** Whether robust's own clients learn by the protocol that the model is of that kind. */
const announced = ({ carries = [], announces }: ServerEnd, kind: ServedKind): boolean =>
  carries.includes(kind) && (announces === 'all' || (announces === 'labels' && ['label-sets', 'spans'].includes(kind)));

/** The command that attacks a served model by a protocol: with flags for the facts that its clients do not learn. */
function attackBy({ announces }: ServerEnd, model: string, { labels, decision, kinds = [] }: ServedModel): string {
  const rule = decision?.rule;
  const flags = {
    ...(announces === undefined && { labels: labels.join(',') }),
    ...(rule?.kind === 'threshold' && { positive: rule.positive, threshold: rule.at, 'positive-score': rule.by }),
    ...(rule?.kind === 'multi-label' && {
      task: rule.kind,
      ...(new Set(rule.at).size === 1 && { threshold: rule.at[0] }),
    }),
    ...(rule?.kind === 'regression' && { task: rule.kind, delta: rule.delta }),
    ...(kinds.includes('spans') && { task: 'tags' }),
  };
  const plain = rule === undefined && kinds.length === 0;
  return attackOn(model, plain ? labels : [], announces === 'all' ? {} : flags);
}

const CARRIED: Readonly<Record<ServedKind | 'labels', string>> = {
  labels: 'scores of labels',
  pairs: 'pairs of texts',
  'label-sets': 'scores of any number of labels',
  numbers: 'a number for each text',
  spans: 'spans with types',
};

/** A model that tags: its spans are served, and no scores of labels. */
async function openServedTagger(
  { model: spec, name, defend = [], textColumns }: Values<typeof serveSettings>,
  { tags }: DecisionChoice,
  context: Context,
): Promise<ServedModel> {
  if (defend.length > 0 || textColumns !== undefined)
    throw new UsageError(`--task tags: expected a model alone, got ${textColumns ? '--columns pair' : '--defend'}`, {
      code: 'TAGS_UNSUPPORTED',
      hint: 'Leave it out.',
    });
  const model = context.opened.add(
    await loadModel(spec, { ...context.loading(spec), decision: 'tags', ...defined({ tags }) }),
  );
  return {
    name: name ?? shortName(model),
    ...{ sha256: model.sha256, labels: model.labels, maximumTokens: model.maximumTokens, kinds: ['spans'] },
    ...defined({ spans: model.tags }),
    scores: (texts) => model.classify(texts),
  };
}

const shortName = ({ name }: LoadedModel): string => name.split('/').at(-1)?.replace(/@.*/s, '') ?? name;

/** The model, and what is served of it: itself, or itself behind defences. */
async function openServed(choice: Values<typeof serveSettings>, context: Context): Promise<ServedModel> {
  const { model: spec, name, textColumns } = choice;
  const [decision, defences] = [decisionChoice(choice), defenceChoice(choice)];
  if (decision.kind === 'tags') return openServedTagger(choice, decision, context);
  const loading = { ...context.loading(spec), decision: decision.kind, logits: defences.specs.length === 0 };
  const model = context.opened.add(await loadModel(spec, loading));
  const language = await openLanguage(choice.language, context.patience);
  const defence = await behindDefences(defences, model, language, context);
  const { sha256 } = answeringClassifier({ model, defence });
  const answering = defence?.classifier ?? model;
  const rule = await decisionWithoutData(decision, model, { textColumns }, context.data);
  if (defence === undefined) observeAt(model, rule);
  const stages = defence === undefined ? model.stages : undefined;
  const pairs = model.pairs === true || textColumns !== undefined;
  const apart = rule !== undefined && rule.kind !== 'regression' && !(await sumsToOne(answering, pairs));
  const asLogits = apart ? logOdds : logarithms;
  const own = shortName(model);
  return {
    name: name ?? own + (defence?.suffix ?? ''),
    sha256,
    labels: model.labels,
    maximumTokens: model.maximumTokens,
    ...(rule && { decision: decisionOf(rule, model.labels) }),
    kinds: kindsOf(rule, pairs),
    ...(stages && { flaggedBy: (text) => stages.flaggedBy(text) }),
    announced: {
      labels: model.labels,
      ...(rule && { decision: announcedRule(rule, decision.delta, model) }),
      ...(textColumns ? { columns: { texts: textColumns } } : model.columns && { columns: model.columns }),
      ...(pairs && { pairs: true }),
      ...(rule && { activation: rule.kind === 'regression' ? 'none' : apart ? 'sigmoid' : 'softmax' }),
    },
    scores: async (texts, kind) => {
      if (pairs && texts.some((text) => queryParts(text).length === 1)) throw pairNeeded(model.name);
      if (kind === 'probabilities' || rule?.kind === 'regression') return answering.classify(texts);
      if (defence === undefined && model.logits !== undefined) return (await model.logits(texts)).map(bothLogits);
      return (await answering.classify(texts)).map(asLogits);
    },
  };
}

function kindsOf(rule: DecisionRule | undefined, pairs: boolean): ServedKind[] {
  const answered = rule?.kind === 'multi-label' ? 'label-sets' : rule?.kind === 'regression' ? 'numbers' : undefined;
  return [...(pairs ? (['pairs'] as const) : []), ...(answered === undefined ? [] : [answered as ServedKind])];
}

/** Are these scores of labels that exclude each other? */
async function sumsToOne({ classify }: Classifier, pairs: boolean): Promise<boolean> {
  const [row] = await classify([pairs ? `a film${PAIR_SEPARATOR}a film` : 'a film']);
  return Math.abs(row!.reduce((sum, score) => sum + score, 0) - 1) < 1e-3;
}

/** The decision as a robust.json says it. */
function announcedRule(
  rule: DecisionRule,
  given: number | undefined,
  { labels, decision }: LoadedModel,
): WrittenDecision {
  if (rule.kind === 'multi-label')
    return { kind: rule.kind, at: Object.fromEntries(labels.map((label, at) => [label, rule.at[at]!])) };
  if (rule.kind === 'threshold') {
    const { kind, positive, at, by } = rule;
    return { kind, positive: [...positive], at, by };
  }
  const delta = writtenDelta(given, decision);
  return { kind: rule.kind, ...defined({ delta }) };
}

const pairNeeded = (name: string): ModelError =>
  new ModelError(`${name}: expected a pair of texts, got one text`, {
    code: 'PAIRS_NEEDED',
    hint: `Send both texts in the order in which the model reads them, by a protocol that has pairs: ${servedProtocols
      .filter(({ server }) => server.carries?.includes('pairs'))
      .map(({ name }) => name)
      .join(', ')}.`,
  });

/** One logit is that of the second label; the first one's is 0. */
const bothLogits = (row: Float32Array): Float32Array => (row.length === 1 ? Float32Array.of(0, row[0]!) : row);

/** The least single-precision number above 0: what has probability 0 has a logarithm all the same. */
const LEAST = 2 ** -149;

/** Logits of a victim that answers probabilities only; their softmax is the probabilities except for rounding. */
const logOdds = (row: Float32Array): Float32Array =>
  row.map((value) => Math.log(Math.max(value, LEAST)) - Math.log(Math.max(1 - value, LEAST)));
const logarithms = (row: Float32Array): Float32Array => row.map((value) => Math.log(Math.max(value, LEAST)));
