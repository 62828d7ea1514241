/** @file How far work is, for whoever shows it. */
import { visible } from '../../reports/visible.js';
import type { RunProgress } from '../run/index.js';
import type { Measurement, TrainingProgress } from '../train/index.js';

/** Progress of work other than a run of attacks. */
export interface WorkProgress {
  readonly title: string;
  readonly words: string;
  readonly done: number;
  readonly total: number | undefined;
  /** Since its beginning. */
  readonly seconds: number;
}

export type Progress = RunProgress | WorkProgress;

/** Seconds since it was made. */
export function stopwatch(): () => number {
  const began = performance.now();
  return () => (performance.now() - began) / 1000;
}

/** Minutes and seconds, or hours, minutes and seconds: `1:05`, `2:00:05`. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const pad = (n: number): string => String(n).padStart(2, '0');
  return h > 0 ? `${h}:${pad(m)}:${pad(s)}` : `${m}:${pad(s)}`;
}

/** How far work is on things that can be counted: `45/200 texts, 12.3/s, 0:12 left`. */
export function countedWork(title: string, what: string, done: number, total: number, seconds: number): WorkProgress {
  const rate = done / Math.max(seconds, 1e-3);
  const parts = [
    `${done}/${total} ${what}`,
    ...(done > 0 ? [`${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s`] : []),
    ...(done > GUESS * total ? [`${clock((total - done) / rate)} left`] : []),
  ];
  return { title, words: parts.join(', '), done, total, seconds };
}

const validationWords = ({ accuracy, loss }: Measurement['validation']): string =>
  accuracy === undefined ? `error ${loss.toFixed(3)}` : `${(100 * accuracy).toFixed(1)} %`;

/** How far a training is; `seconds` since this session of it began. */
export function trainingWork(
  { step, steps, from, loss, tokens, latest }: TrainingProgress,
  seconds: number,
): WorkProgress {
  const left = ((steps - step) * seconds) / (step - from || 1);
  const parts = [
    `${step}/${steps}`,
    `loss ${loss.toFixed(3)}`,
    ...(latest ? [`validation ${validationWords(latest.validation)}`] : []),
    `${Math.round(tokens / seconds)} tokens/s`,
    ...(step - from > GUESS * (steps - from) ? [`${clock(left)} left`] : []),
  ];
  return { title: 'training', words: parts.join(', '), done: step, total: steps, seconds };
}

/** Rates are told from half of a run on: short searches end first, and mislead. */
export const tellsRates = ({ done, total }: Pick<RunProgress, 'done' | 'total'>): boolean =>
  total !== undefined && 2 * done >= total;

/** The time left is a guess before this share of the work is done. */
export const GUESS = 0.05;

/** A progress in words: `145/200, 61 % ASR, 1240 queries/s, about 0:12 left`. `measured`: an attack has ended, so that the time left is known. */
export function inWords(progress: Progress, measured = false): string {
  if ('words' in progress) return progress.words;
  const { done, total, resumed, succeeded, attacked, asked, cost, seconds, stage, fleet } = progress;
  const parts = [total === undefined ? String(done) : `${done}/${total}`];
  if (stage === 'attack' && attacked > 0 && tellsRates(progress))
    parts.push(`${Math.round((100 * succeeded) / attacked)} % ASR`);
  if (seconds > 0 && asked > 0) parts.push(`${Math.round(asked / seconds)} queries/s`);
  if (cost !== undefined) parts.push(`cost ${cost.toFixed(2)}`);
  const fresh = done - resumed;
  if (total !== undefined && fresh > 0 && seconds > 0 && done >= GUESS * total) {
    const about = stage === 'attack' && !measured ? 'about ' : '';
    parts.push(`${about}${clock(((total - done) * seconds) / fresh)} left`);
  }
  if (fleet !== undefined) parts.push(`${fleet.workers} ${fleet.workers === 1 ? 'worker' : 'workers'}`);
  return parts.join(', ');
}

export function titleOf(progress: Progress): string {
  if ('title' in progress) return progress.title;
  return progress.stage === 'clean' ? 'unattacked texts' : visible(progress.attack ?? 'attacks');
}

/** A bar and its words in at most `room` characters; the words alone where there is too little room. */
export function barOf(progress: Progress, room: number, measured: boolean): string {
  const words = visible(`${titleOf(progress)}  ${inWords(progress, measured)}`);
  const length = Math.min(30, room - words.length - 2);
  if (length < 8 || progress.total === undefined) return words.slice(0, room);
  const filled = Math.round((length * progress.done) / Math.max(1, progress.total));
  return `${'█'.repeat(filled)}${'░'.repeat(length - filled)}  ${words}`;
}
