/** @file The learning rate over time: a linear warm-up, then a linear decay to zero. */
import { RobustError } from '../core/errors.js';

export interface ScheduleOptions {
  /** The highest rate, reached at the end of the warm-up. */
  readonly rate: number;
  /** Optimiser steps of the whole training, at least 1. */
  readonly steps: number;
  /** Optimiser steps of the warm-up, fewer than `steps`. @default 0 */
  readonly warmup?: number;
}

/** The rate of each step, counted from 0. The warm-up starts above zero, at rate / warmup. */
export function schedule({ rate, steps, warmup = 0 }: ScheduleOptions): (step: number) => number {
  if (!(warmup < steps))
    throw new RobustError(`warm-up: expected fewer steps than the training's ${steps}, got ${warmup}`, {
      code: 'OPTION_INVALID',
      hint: 'Train for more epochs or warm up for fewer steps.',
    });
  return (step) => {
    if (step < warmup) return rate * ((step + 1) / warmup);
    return rate * (1 - (step - warmup) / (steps - warmup));
  };
}
