/** @file A model, or a model behind defences, served over HTTP: to be attacked as a deployed one is. */
import type { GivenValues, Values } from '../config/setting.js';
import { serveSettings } from '../config/settings/index.js';
import { closingOnError } from '../core/closing-stack.js';
import type { DecisionRule } from '../core/decision.js';
import { defined } from '../core/defined.js';
import { ModelError, type ModelGone, must, RobustError } from '../core/errors.js';
import { queryParts } from '../core/pair.js';
import { isLoopback } from '../http/server.js';
import { type LoadedModel, loadModel } from '../model/load.js';
import type { WrittenDecision } from '../model/opening/manifest.js';
import { kserveAddress, kserveV2 } from '../serve/kserve-v2.js';
import { plainJson } from '../serve/plain-json.js';
import type { ServedModel } from '../serve/request.js';
import type { RequestEntry } from '../serve/request-entry.js';
import { listen } from '../serve/server.js';
import { decisionOf } from '../tasks/decide.js';
import { answersInWords } from '../tasks/words.js';
import { Context, toolVersion, type UseCaseHooks, withDefaults } from './context.js';
import { openLanguage } from './language.js';
import { attackOn } from './runs/next-command.js';
import { stopping } from './stopping.js';
import { defenceChoice } from './victim/choice.js';
import { decisionWithoutData, writtenDelta } from './victim/decide.js';
import { decisionChoice } from './victim/decision-choice.js';
import { answeringClassifier, behindDefences } from './victim/victim.js';

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
  /** The command that attacks the model. Absent for pairs, which only JSON carries. */
  readonly attack?: string;
  /** Settles once it has stopped; rejects with a ModelError where the model answers nothing any more. */
  readonly stopped: Promise<ServingTotals>;
  /** Lets requests under way end. */
  close(): Promise<ServingTotals>;
}

/** Serves until `signal` or `close` stops it. Throws ModelError, RobustError. */
export async function serve({ onRequest, ...options }: ServeOptions = {}): Promise<RunningServer> {
  const choice = withDefaults(serveSettings, options);
  const context = new Context(options, choice);
  return closingOnError(context.opened, async (opened) => {
    const served = await openServed(choice, context);
    const { host, port, maxBatch, maxQueue, grace, requestTimeout: timeout } = choice;
    let gone: ModelGone | undefined;
    const server = await listen({
      model: served,
      host,
      port,
      maxBatch,
      maxQueue,
      timeout,
      grace,
      // KServe V2 has no pairs.
      routes: [...(served.pairs ? [] : kserveV2(served, toolVersion)), ...plainJson(served)],
      maxBody: Math.floor(choice.maxBody * 2 ** 20),
      onRequest,
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
      return { ...server.answers.totals };
    });
    if (!isLoopback(host)) {
      context.warn(
        `${host} may be reached from other machines, and whoever reaches it may ask: no password, no encryption`,
      );
    }
    const address = served.pairs ? undefined : kserveAddress(server.url, served.name);
    const rule = served.decision?.rule;
    return {
      url: server.url,
      port: server.port,
      model: { name: served.name, sha256: served.sha256, labels: served.labels },
      ...(rule && { decision: answersInWords(rule) }),
      ...defined({ pairs: served.pairs }),
      protocols: [...(address === undefined ? [] : [{ name: 'kserve-v2', model: address }]), { name: 'json' }],
      ...(address !== undefined && { attack: attackOn(address, rule === undefined ? served.labels : []) }),
      stopped,
      close,
    };
  });
}

const shortName = ({ name }: LoadedModel): string => name.split('/').at(-1)?.replace(/@.*/s, '') ?? name;

/** The model, and what is served of it: itself, or itself behind defences. */
async function openServed(choice: Values<typeof serveSettings>, context: Context): Promise<ServedModel> {
  const { model: spec, name, textColumns } = choice;
  const [decision, defences] = [decisionChoice(choice), defenceChoice(choice)];
  if (decision.kind === 'tags')
    throw new RobustError('--task tags: expected scores of labels, which can be served, got spans', {
      code: 'TASK_UNSUPPORTED',
      hint: 'Attack the model itself.',
    });
  const model = context.opened.add(await loadModel(spec, { ...context.loading(spec), decision: decision.kind }));
  const language = await openLanguage(choice.language, context.patience);
  const defence = await behindDefences(defences, model, language, context);
  const { sha256 } = answeringClassifier({ model, defence });
  const answering = defence?.classifier ?? model;
  const rule = await decisionWithoutData(decision, model, { textColumns }, context.data);
  const pairs = model.pairs === true || textColumns !== undefined;
  const own = shortName(model);
  return {
    name: name ?? own + (defence?.suffix ?? ''),
    sha256,
    labels: model.labels,
    ...(rule && { decision: decisionOf(rule, model.labels) }),
    ...(pairs && { pairs: true as const }),
    announced: {
      labels: model.labels,
      ...(rule && { decision: announcedRule(rule, decision.delta, model) }),
      ...(textColumns ? { columns: { texts: textColumns } } : model.columns && { columns: model.columns }),
    },
    scores: async (texts) => {
      if (pairs && texts.some((text) => queryParts(text).length === 1)) throw pairNeeded(model.name);
      return answering.classify(texts);
    },
  };
}

/** The decision as a robust.json says it. */
function announcedRule(
  rule: DecisionRule,
  given: number | undefined,
  { labels, decision }: LoadedModel,
): WrittenDecision {
  if (rule.kind === 'multi-label')
    return { kind: rule.kind, at: Object.fromEntries(labels.map((label, at) => [label, must(rule.at[at])])) };
  if (rule.kind === 'threshold') {
    const { kind, positive, at, by } = rule;
    return { kind, positive: [...positive], at, by };
  }
  const delta = writtenDelta(given, decision);
  return { kind: 'regression', ...defined({ delta }) };
}

const pairNeeded = (name: string): ModelError =>
  new ModelError(`${name}: expected a pair of texts, got one text`, {
    code: 'PAIRS_MISMATCH',
    hint: 'Send both texts as a list, in the order in which the model reads them.',
  });
