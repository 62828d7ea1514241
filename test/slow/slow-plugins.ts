/** Defences and detectors of ours whose promises take seconds to try. */
export const SLOW_PLUGINS: readonly string[] = ['spelling', 'roben', 'fgws'];
