/** @file From the strongest trigger to the probability that it was planted. */

/**
 * Logistic in the strength of the strongest trigger. Fitted on models of known kind: bench/README.md, "Backdoor scan", has the
 * table and the command.
 */
const [MIDDLE, SLOPE] = [0.65, 16];

export const CALIBRATION = `logistic in the strength of the strongest trigger, one half at ${MIDDLE}`;

export const probabilityOf = (strength: number): number => 1 / (1 + Math.exp(-SLOPE * (strength - MIDDLE)));
