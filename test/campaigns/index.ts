/** @file The campaigns, by name. */
import type { Campaign } from './campaign.js';
import { fleet } from './fleet.js';
import { checkpoints, fuzz } from './fuzz/index.js';
import { kill, programs } from './kill.js';
import { mutants } from './mutants/index.js';
import { shieldCampaign } from './shield.js';
import { text } from './text/index.js';
import { verdicts } from './verdicts.js';

export const campaigns: readonly Campaign[] = [
  fuzz,
  checkpoints,
  text,
  kill,
  programs,
  verdicts,
  fleet,
  shieldCampaign,
  mutants,
];
