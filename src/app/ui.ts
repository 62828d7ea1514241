/** @file A page on this machine: try sentences, attack them, explain predictions, start runs and browse those of this folder. */
import type { GivenValues } from '../config/setting.js';
import { uiSettings } from '../config/settings/index.js';
import { listenUi } from '../ui/server.js';
import { Context, type UseCaseHooks, withDefaults } from './context.js';
import { type Limits, RunHistory } from './pages/history.js';
import { Playground } from './pages/playground.js';
import { RunStarter } from './pages/started-run.js';
import { stopping } from './stopping.js';

export interface UiOptions extends GivenValues<typeof uiSettings>, UseCaseHooks, Limits {}

export interface RunningUi {
  /** With the token that opens it: `http://127.0.0.1:8765/?token=...` */
  readonly url: string;
  readonly port: number;
  /** Names of models that its playground asks. */
  readonly models: readonly string[];
  /** Settles once it has stopped. */
  readonly stopped: Promise<void>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

/**
 * Serves the page on the loopback interface until `signal` or `close` stops it. Who has the token may query the bundled models and those of
 * `model`, read the runs of this folder, and start runs on the bundled data and those of `data`. Nothing else is read or written. Throws RobustError.
 */
export async function ui({ require, waivers, ...options }: UiOptions = {}): Promise<RunningUi> {
  const choice = withDefaults(uiSettings, options);
  const context = new Context(options, choice);
  const playground = new Playground(choice, context);
  const history = new RunHistory({ require, waivers });
  const starter = new RunStarter(choice, context);
  const server = await listenUi({
    port: choice.port,
    source: {
      models: playground.models,
      attacks: playground.attacks,
      data: starter.data,
      start: starter.start.bind(starter),
      current: starter.current.bind(starter),
      follow: starter.follow.bind(starter),
      stop: starter.stop.bind(starter),
      about: playground.about.bind(playground),
      answer: playground.answer.bind(playground),
      attack: playground.attack.bind(playground),
      explain: playground.explain.bind(playground),
      runs: history.runs.bind(history),
      rates: history.rates.bind(history),
      report: history.report.bind(history),
      compare: history.compare.bind(history),
      listJudged: history.listJudged.bind(history),
      review: history.review.bind(history),
    },
    onDefect: (error) => {
      context.warn(`internal error: ${error instanceof Error ? error.message : error}`);
      if (error instanceof Error) options.onDetail?.(error.stack ?? error.message);
    },
  });
  const { stopped, close } = stopping(options.signal, async () => {
    await starter.close();
    await server.close();
    await playground.close();
  });
  return { url: await openingPage(server.url, history), port: server.port, models: playground.models, stopped, close };
}

/** The report of the newest finished run, or the playground. */
async function openingPage(url: string, history: RunHistory): Promise<string> {
  const [newest] = (await history.runs()).filter(({ status, fault }) => status === 'done' && fault === undefined);
  if (newest === undefined) return url;
  const page = new URL(url);
  page.pathname = `/runs/${newest.id}`;
  return page.href;
}
