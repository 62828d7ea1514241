/** @file A campaign: many numbered trials of one kind, each a pure function of its number and the seed, counted by their ends. */
import type { Random } from '../../src/plugin.js';

export interface Trial {
  /** The tested command, reader or writer. Each has its own counts. */
  readonly kind: string;
  /** How it ended, in a few words: "right result", "MODEL_DAMAGED". Counts are given for each. */
  readonly ended: string;
  /** The fault of that end, if any. */
  readonly fault?: string;
}

interface Setting {
  /** The random stream of this trial. */
  readonly random: Random;
  /** An empty folder of this trial, removed after it unless it ended in a fault. */
  readonly folder: string;
}

export interface OpenCampaign extends AsyncDisposable {
  trial(number: number, setting: Setting): Promise<Trial>;
}

export interface Campaign {
  readonly name: string;
  /** One sentence: what is done, and what must hold. */
  readonly summary: string;
  /** Trials where no count is given. */
  readonly count: number;
  /** Makes what all trials share, in `folder`. */
  open(folder: string): Promise<OpenCampaign>;
}
