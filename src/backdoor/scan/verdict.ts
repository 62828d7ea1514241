/** @file From the strongest word to the probability that it was planted. */
import type { ScanResult } from '../../core/detection.js';

export type Evidence = ScanResult['evidence'];

/** How strong the word is, and by how much it stands out. */
export const scoreOf = ({ strength, natural }: Evidence): number => strength + Math.max(0, strength - natural);

/** Logistic in the score: docs/backdoors.md has the models of known kind that it was set on. */
const [MIDDLE, SLOPE] = [0.85, 10];

export const CALIBRATION = `logistic in the strength of the strongest word plus its lead over natural words, one half at ${MIDDLE}; set on small models of known kind`;

export const probabilityOf = (evidence: Evidence): number => 1 / (1 + Math.exp(-SLOPE * (scoreOf(evidence) - MIDDLE)));
