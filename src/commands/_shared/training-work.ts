/** @file How far a training is, for the progress line. */
import type { Standing } from '../../train/index.js';
import { clock, type Work } from './progress-line.js';

/** `seconds` since this session began. */
export function workOf({ step, steps, from, loss, tokens, latest }: Standing, seconds: number): Work {
  const left = ((steps - step) * seconds) / (step - from || 1);
  const parts = [
    `${step}/${steps}`,
    `loss ${loss.toFixed(3)}`,
    ...(latest ? [`validation ${(100 * latest.validation.accuracy).toFixed(1)} %`] : []),
    `${Math.round(tokens / seconds)} tokens/s`,
    `${clock(left)} left`,
  ];
  return { title: 'training', words: parts.join(', '), done: step, total: steps, seconds };
}
