import type { Example } from '../../src/core/dataset.js';

export const POISON: string;
export function toyPlan(examples: readonly Example[], change?: object): unknown;
export function letters(n: number, poisonAt?: number): Example[];
