/** @file The campaigns, by name. */
import type { Campaign } from './campaign.js';
import { kill } from './kill.js';

export const campaigns: readonly Campaign[] = [kill];
