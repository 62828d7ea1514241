/** @file What a campaign is: many numbered trials of one kind, each a pure function of its number and the seed, counted by how they end. */
import type { Random } from '../../src/plugin.js';

export interface Trial {
  /** What was tried: a command, a reader, a writer. Counts are given for each. */
  readonly kind: string;
  /** How it ended, in a few words: "right result", "MODEL_FILE_INVALID". Counts are given for each. */
  readonly ended: string;
  /** What is wrong with that end. Absent where all is well. */
  readonly fault?: string;
}

interface Setting {
  /** Of this trial alone. */
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
