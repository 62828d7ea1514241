/**
 * Texts that try to be more than text, by what they would act on. Those for browsers set `window.ran`, so that a test can
 * ask whether one did. Ours; the ideas are common knowledge.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/core/package-root.js';

const file = readFileSync(join(packageRoot, 'test', 'reports', 'injections.json'), 'utf8');

export const INJECTIONS: readonly string[] = Object.values(JSON.parse(file) as Record<string, string[]>).flat();
