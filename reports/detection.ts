/** @file How well adversarial texts can be told from ordinary ones, for a terminal. */
import type { ChalkInstance } from 'chalk';
import type { Estimate, Rate } from '../src/index.js';
import { interval, percent } from './figures.js';
import { blocks, wrapped } from './layout.js';
import { visible } from './visible.js';

export interface Detected {
  readonly run: string;
  readonly model: string;
  readonly wantedFrr: number;
  readonly clean: { readonly learnt: number; readonly calibration: number; readonly test: number };
  readonly detectors: readonly {
    readonly name: string;
    readonly frr: Rate;
    readonly attacks: readonly { readonly name: string; readonly auroc: Estimate | null; readonly detected: Rate }[];
  }[];
}

/** A block an attack: one row a detector. */
export function* detected(of: Detected, screen: { width: number; chalk: ChalkInstance }): Iterable<string> {
  const { bold, dim } = screen.chalk;
  yield `${bold(visible(of.model))}, run ${visible(of.run)}\n`;
  const attacks = of.detectors[0]?.attacks ?? [];
  for (const [at, { name, detected: first }] of attacks.entries()) {
    yield `\n${bold(visible(name))}, ${first.n} adversarial texts\n\n`;
    const rows = of.detectors.map(({ attacks: own }) => own[at] as (typeof attacks)[number]);
    const columns = [
      ['detector', ...of.detectors.map((detector) => detector.name)],
      [
        'AUROC',
        ...rows.map(({ auroc }) =>
          auroc === null ? '-' : `${auroc.value.toFixed(3)} (${auroc.low.toFixed(2)}-${auroc.high.toFixed(2)})`,
        ),
      ],
      ['detected', ...rows.map(({ detected: rate }) => `${percent(rate.value)} (${interval(rate)})`)],
      ['clean rejected', ...of.detectors.map(({ frr }) => `${percent(frr.value)} (${interval(frr)})`)],
    ];
    for (const block of blocks(columns, screen.width)) yield `${block}\n`;
  }
  const { learnt, calibration, test } = of.clean;
  yield `\n${wrapped(
    `Thresholds set to reject ${percent(of.wantedFrr)} of ${calibration} clean texts, learnt from ${learnt}, tested on ${test} others. In brackets 95 % intervals. The attacks did not know of the detectors.`,
    screen.width,
    0,
    dim,
  )}\n`;
}
