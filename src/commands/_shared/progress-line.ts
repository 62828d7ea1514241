/** @file How far a run is: a bar on a terminal, else a line every ten seconds. */
import type { SingleBar } from 'cli-progress';
import { visible } from '../../../reports/visible.js';
import { clock, type Progress } from '../../app/progress.js';
import { movable } from './guarded.js';

/** A search that takes longer is named. */
const SLOW_SECONDS = 30;

/** Seconds between two lines where there is no terminal. */
const PAUSE_SECONDS = 10;

export interface ProgressLine {
  show(progress: Progress): void;
  /** Writes a line for people without tearing the bar. */
  write(text: string): void;
  stop(): void;
}

/** What a progress says in words: `45/200, 61 % ASR, 1240 queries/s, 0:12 left`. */
export function inWords(progress: Progress): string {
  if ('words' in progress) return progress.words;
  const { done, total, resumed, succeeded, attacked, asked, cost, seconds, stage, fleet } = progress;
  const parts = [total === undefined ? String(done) : `${done}/${total}`];
  if (stage === 'attack' && attacked > 0) parts.push(`${Math.round((100 * succeeded) / attacked)} % ASR`);
  if (seconds > 0 && asked > 0) parts.push(`${Math.round(asked / seconds)} queries/s`);
  if (cost !== undefined) parts.push(`cost ${cost.toFixed(2)}`);
  const fresh = done - resumed;
  if (total !== undefined && fresh > 0 && seconds > 0) parts.push(`${clock(((total - done) * seconds) / fresh)} left`);
  if (fleet !== undefined) parts.push(`${fleet.workers} ${fleet.workers === 1 ? 'worker' : 'workers'}`);
  if (fleet?.slowest !== undefined && fleet.slowest.seconds >= SLOW_SECONDS)
    parts.push(`longest under way: ${visible(fleet.slowest.what)}, ${clock(fleet.slowest.seconds)}`);
  return parts.join(', ');
}

export function titleOf(progress: Progress): string {
  if ('title' in progress) return progress.title;
  return progress.stage === 'clean' ? 'unattacked texts' : visible(progress.attack ?? 'attacks');
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
  return {
    show(progress) {
      if (due(progress)) stream.write(`${titleOf(progress)}: ${inWords(progress)}\n`);
    },
    write: (text) => stream.write(`${text}\n`),
    stop: () => {},
  };
}

async function bar(stream: NodeJS.WriteStream): Promise<ProgressLine> {
  const { default: progress } = await import('cli-progress');
  let current: Progress | undefined;
  const draw = (): string => {
    if (current === undefined) return '';
    const words = visible(`${titleOf(current)}  ${inWords(current)}`);
    const room = Math.min(30, (stream.columns ?? 80) - words.length - 3);
    if (room < 8 || current.total === undefined) return words.slice(0, (stream.columns ?? 80) - 1);
    const filled = Math.round((room * current.done) / Math.max(1, current.total));
    return `${'█'.repeat(filled)}${'░'.repeat(room - filled)}  ${words}`;
  };
  const line: SingleBar = new progress.SingleBar({
    stream: movable(stream),
    format: draw,
    clearOnComplete: true,
    fps: 8,
    gracefulExit: false,
  });
  let drawn = false;
  const stop = (): void => {
    if (drawn) line.stop();
    drawn = false;
  };
  return {
    show(progress) {
      current = progress;
      if (!drawn) line.start(progress.total ?? 0, progress.done);
      drawn = true;
      line.setTotal(progress.total ?? 0);
      line.update(progress.done);
    },
    write(text) {
      // The bar goes back to where it began when it stops, so it must not be running while lines are added.
      stop();
      stream.write(`${text}\n`);
    },
    stop,
  };
}
