import { join } from 'node:path';

/** Where runs are kept, below the working directory. */
export const RUNS = join('.robust', 'runs');
