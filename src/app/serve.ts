/** @file A model, or a model behind defences, served over HTTP: to be attacked as a deployed one is, and as a test double of other servers. */
import type { GivenValues, Values } from '../config/setting.js';
import { serveSettings } from '../config/settings/index.js';
import type { ModelGone } from '../core/errors.js';
import { loadModel } from '../model/load.js';
import type { ServedModel } from '../serve/protocol.js';
import { servedProtocols } from '../serve/protocols/index.js';
import type { RequestEntry } from '../serve/request-entry.js';
import { listen } from '../serve/server.js';
import { Context, toolVersion, type UseCaseHooks, withDefaults } from './context.js';
import { openLanguage } from './language.js';
import { stopping } from './stopping.js';
import { answeringClassifier, behindDefences } from './victim/victim.js';

export interface ServeOptions extends GivenValues<typeof serveSettings>, UseCaseHooks {
  /** Told of each request answered. */
  onRequest?(entry: RequestEntry): void;
}

/** What a server has done. */
export interface ServingTotals {
  readonly requests: number;
  /** Of them, those answered 400 and above. */
  readonly refused: number;
  readonly texts: number;
}

export interface RunningServer {
  /** "http://127.0.0.1:8000" */
  readonly url: string;
  readonly port: number;
  readonly model: { readonly name: string; readonly sha256: string; readonly labels: readonly string[] };
  /** Each with the word behind `robust attack --model` that reaches it, where there is one. */
  readonly protocols: readonly { readonly name: string; readonly model?: string }[];
  /** Settles once it has stopped; rejects with a ModelError where the model answers nothing any more. */
  readonly stopped: Promise<ServingTotals>;
  /** Lets requests under way end. */
  close(): Promise<ServingTotals>;
}

/** Serves until `signal` or `close` stops it. Throws ModelError, UsageError, DatasetError. */
export async function serve({ onRequest, ...options }: ServeOptions = {}): Promise<RunningServer> {
  const choice = withDefaults(serveSettings, options);
  const context = new Context(options, choice);
  const { model, served } = await openServed(choice, context);
  try {
    const all = choice.protocols.includes('all');
    const protocols = servedProtocols.filter(({ name }) => all || choice.protocols.some((each) => each === name));
    const { host, port, scores: kind, datatype, maxBatch, maxQueue, grace, requestTimeout: timeout } = choice;
    const maxBody = Math.floor(choice.maxBody * 2 ** 20);
    let gone: ModelGone | undefined;
    const server = await listen({
      ...{
        model: served,
        protocols,
        kind,
        datatype,
        toolVersion,
        host,
        port,
        maxBatch,
        maxBody,
        maxQueue,
        timeout,
        grace,
      },
      ...(onRequest && { onRequest }),
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
      await model.close();
      if (gone !== undefined) throw gone;
      const { requests, refused, texts } = server.answers.metrics;
      return { requests, refused, texts };
    });
    if (!isLoopback(host)) {
      context.warn(
        `${host} may be reached from other machines, and whoever reaches it may ask: no password, no encryption`,
      );
    }
    return {
      url: server.url,
      port: server.port,
      model: { name: served.name, sha256: served.sha256, labels: served.labels },
      protocols: protocols.map(({ name, modelAt }) => {
        const spec = modelAt(server.url, served);
        return { name, ...(spec !== undefined && { model: spec }) };
      }),
      stopped,
      close,
    };
  } catch (error) {
    await model.close();
    throw error;
  }
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\./.test(host);

/** The model, and what is served of it: itself, or itself behind defences. */
async function openServed(choice: Values<typeof serveSettings>, context: Context) {
  const { model: spec, workers, name } = choice;
  const defended = choice.defend !== undefined && choice.defend.length > 0;
  const loading = { ...context.loading(spec), ...(workers !== undefined && { workers }) };
  const model = await loadModel(spec, { ...loading, logits: !defended });
  try {
    const language = await openLanguage(choice.language, context.patience);
    const defence = await behindDefences(choice, model, language, loading);
    const { sha256 } = answeringClassifier({ model, defence });
    const answering = defence?.classifier ?? model;
    const own = model.name.split('/').at(-1)?.replace(/@.*/s, '') ?? model.name;
    const served: ServedModel = {
      name: name ?? own + (defence?.suffix ?? ''),
      sha256,
      labels: model.labels,
      maximumTokens: model.maximumTokens,
      scores: async (texts, kind) => {
        if (kind === 'probabilities') return answering.classify(texts);
        return defence === undefined && model.logits !== undefined
          ? (await model.logits(texts)).map(bothLogits)
          : (await answering.classify(texts)).map(logarithms);
      },
    };
    return { model, served };
  } catch (error) {
    await model.close();
    throw error;
  }
}

/** One logit is that of the second label; the first one's is 0. */
const bothLogits = (row: Float32Array): Float32Array => (row.length === 1 ? Float32Array.of(0, row[0] as number) : row);

/** The least single-precision number above 0: what has probability 0 has a logarithm all the same. */
const LEAST = 2 ** -149;

/** Of a victim that tells probabilities alone; their softmax is the probabilities again, but for rounding. */
const logarithms = (row: Float32Array): Float32Array => row.map((value) => Math.log(Math.max(value, LEAST)));
