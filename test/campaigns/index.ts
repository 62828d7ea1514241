/** @file The campaigns, by name. */
import type { Campaign } from './campaign.js';
import { disk } from './disk.js';
import { checkpoints, fuzz } from './fuzz/index.js';
import { hub } from './hub.js';
import { kill } from './kill.js';
import { shieldCampaign } from './shield.js';
import { text } from './text/index.js';
import { verdicts } from './verdicts.js';

export const campaigns: readonly Campaign[] = [fuzz, checkpoints, hub, text, kill, disk, verdicts, shieldCampaign];
