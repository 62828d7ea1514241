/** @file The learning rate over time: a linear warm-up, then a decay to zero. */
import { UsageError } from '../core/errors.js';

export type Decay = 'linear' | 'cosine' | 'constant';

export interface ScheduleOptions {
  /** The highest rate, reached at the end of the warm-up. */
  readonly rate: number;
  /** Optimiser steps of the whole training, at least 1. */
  readonly steps: number;
  /** Optimiser steps of the warm-up, fewer than `steps`. @default 0 */
  readonly warmup?: number;
  /** @default 'linear' */
  readonly decay?: Decay;
}

/**
 * The rate of each step, counted from 0. Linear warm-up starts above zero, at rate / warmup; cosine is Loshchilov and
 * Hutter, "SGDR" (ICLR 2017), eq. 5, without restarts.
 */
export function schedule(options: ScheduleOptions): (step: number) => number {
  const { rate, steps, warmup = 0, decay = 'linear' } = options;
  if (!(warmup < steps)) {
    throw new UsageError(`warm-up: expected fewer steps than the training's ${steps}, got ${warmup}`, {
      code: 'WARMUP_TOO_LONG',
      hint: 'Train for more epochs or warm up for fewer steps.',
    });
  }
  return (step) => {
    if (step < warmup) return rate * ((step + 1) / warmup);
    const done = (step - warmup) / (steps - warmup);
    if (decay === 'constant') return rate;
    return decay === 'linear' ? rate * (1 - done) : rate * 0.5 * (1 + Math.cos(Math.PI * done));
  };
}
