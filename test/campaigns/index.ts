/** @file The campaigns, by name. */
import type { Campaign } from './campaign.js';

export const campaigns: readonly Campaign[] = [];
