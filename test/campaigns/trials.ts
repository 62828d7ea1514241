/** @file Carries out the trials of a campaign, a few at a time, with a journal. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { random } from '../../src/core/random.js';
import type { Campaign, Trial } from './campaign.js';

export interface Numbered extends Trial {
  readonly number: number;
}

export interface TrialsPlan {
  /** Trials 0 to count - 1. */
  readonly count: number;
  readonly seed: number;
  readonly folder: string;
  /** At a time. */
  readonly jobs: number;
  onTrial?(trial: Numbered, done: number): void;
}

/** All trials below `count`, those of an earlier call read from its journal. A trial that throws ended in a fault. */
export async function trials(campaign: Campaign, plan: TrialsPlan): Promise<Numbered[]> {
  const { count, seed, folder, jobs } = plan;
  const path = join(folder, `${campaign.name}-${seed}.jsonl`);
  const done = journal(path).filter(({ number }) => number < count);
  const known = new Set(done.map(({ number }) => number));
  const missing = Array.from({ length: count }, (_, at) => at).filter((number) => !known.has(number));
  if (missing.length === 0) return done;
  const shared = join(folder, `${campaign.name}-${process.pid}`);
  mkdirSync(shared, { recursive: true });
  const open = await campaign.open(shared);
  const next = missing.values();
  const work = async (): Promise<void> => {
    for (const number of next) {
      const own = join(folder, `${campaign.name}-${seed}-${number}`);
      rmSync(own, { recursive: true, force: true });
      mkdirSync(own);
      const trial = await open
        .trial(number, { random: random(seed, campaign.name, String(number)), folder: own })
        .catch(
          (error: Error): Trial => ({ kind: 'the campaign', ended: 'threw', fault: error.stack ?? error.message }),
        );
      if (trial.fault === undefined) rmSync(own, { recursive: true, force: true });
      const numbered = { number, ...trial };
      appendFileSync(path, `${JSON.stringify(numbered)}\n`);
      done.push(numbered);
      plan.onTrial?.(numbered, done.length);
    }
  };
  try {
    await Promise.all(Array.from({ length: jobs }, work));
  } finally {
    await open[Symbol.asyncDispose]();
    rmSync(shared, { recursive: true, force: true });
  }
  return done;
}

/** The whole lines of a journal; one that a kill cut short is dropped. */
function journal(path: string): Numbered[] {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole !== text) writeFileSync(path, whole);
  return whole
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Numbered);
}
