/** @file How far a run is: on a terminal a bar and a table that fills, else a line every ten seconds. */
import type { MultiBar, SingleBar } from 'cli-progress';
import { LiveTable } from '../../app/live-table.js';
import { barOf, inWords, type Progress, titleOf } from '../../app/progress.js';
import { movable } from './guarded.js';

/** Seconds between two lines where there is no terminal. */
const PAUSE_SECONDS = 10;

export interface ProgressLine {
  show(progress: Progress): void;
  /** Counts an outcome of a run of attacks. */
  count: LiveTable['add'];
  /** Writes a line for people without tearing the bar. */
  write(text: string): void;
  stop(): void;
}

const stageOf = (progress: Progress): string => ('title' in progress ? progress.title : progress.stage);

/** A bar where the stream is a terminal that can move its cursor. */
export async function progressLine(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Promise<ProgressLine> {
  return stream.isTTY && env.TERM !== 'dumb' ? bar(stream) : lines(stream);
}

/** Whether a line is due. */
export function pauses(): (progress: Progress) => boolean {
  let next = PAUSE_SECONDS;
  let stage: string | undefined;
  return (progress) => {
    // Each stage counts its seconds from its own beginning.
    if (stageOf(progress) !== stage) next = PAUSE_SECONDS;
    stage = stageOf(progress);
    if (progress.seconds < next) return false;
    next = progress.seconds + PAUSE_SECONDS;
    return true;
  };
}

function lines(stream: NodeJS.WriteStream): ProgressLine {
  const due = pauses();
  const table = new LiveTable();
  return {
    show(progress) {
      if (due(progress)) stream.write(`${titleOf(progress)}: ${inWords(progress, table.hasEnded)}\n`);
    },
    count: (outcome, of) => table.add(outcome, of),
    write: (text) => stream.write(`${text}\n`),
    stop: () => {},
  };
}

async function bar(stream: NodeJS.WriteStream): Promise<ProgressLine> {
  const [{ default: progress }, { Chalk }, { changesWithin }] = await Promise.all([
    import('cli-progress'),
    import('chalk'),
    import('../../../reports/index.js'),
  ]);
  const table = new LiveTable();
  const plain = new Chalk({ level: 0 });
  const room = (): number => (stream.columns ?? 80) - 1;
  const last = (): string =>
    table.lastSuccess(room(), (before, after, width) => changesWithin(before, after, width, plain)) ?? '';
  let current: Progress | undefined;
  const whole = (): string => (current === undefined ? '' : barOf(current, room(), table.hasEnded));
  let lines: MultiBar | undefined;
  let rows: SingleBar[] = [];
  const add = (text: () => string): void => {
    const row = lines?.create(1, 0, {}, { format: () => text().slice(0, room()) });
    if (row) rows.push(row);
  };
  const stop = (): void => {
    lines?.stop();
    [lines, rows] = [undefined, []];
  };
  const start = (): void => {
    lines = new progress.MultiBar({
      stream: movable(stream),
      format: '',
      clearOnComplete: true,
      fps: 8,
      gracefulExit: false,
    });
    add(whole);
    for (let at = 0; at < heightOf(current, table); at++) add(() => table.row(at));
    if (rows.length > 1) add(last);
    lines.update();
  };
  return {
    show(progress) {
      current = progress;
      const height = heightOf(progress, table);
      if (lines !== undefined && rows.length !== (height === 0 ? 1 : height + 2)) stop();
      if (lines === undefined) start();
    },
    count: (outcome, of) => table.add(outcome, of),
    write(text) {
      // The bars go back to where they began when they stop, so they must not be running while lines are added.
      stop();
      stream.write(`${text}\n`);
    },
    stop,
  };
}

/** Rows of attacks below the bar. */
const heightOf = (progress: Progress | undefined, table: LiveTable): number =>
  progress !== undefined && 'stage' in progress && progress.stage === 'attack' ? table.height : 0;
