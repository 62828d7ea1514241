/** @file The search methods by name. */
import type { ComponentPlugin } from '../core/plugin.js';
import { beamSearch } from './beam.js';
import { boundarySearch } from './boundary.js';
import { geneticSearch } from './genetic.js';
import { greedySearch } from './greedy.js';
import { inOrderSearch } from './in-order.js';
import { isolateSearch } from './isolate.js';
import { blindSearch } from './random-search.js';
import { particleSwarm } from './swarm.js';

export const searches: readonly ComponentPlugin<'search'>[] = [
  greedySearch,
  beamSearch,
  geneticSearch,
  particleSwarm,
  boundarySearch,
  isolateSearch,
  blindSearch,
  inOrderSearch,
];
