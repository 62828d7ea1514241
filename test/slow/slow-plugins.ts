/** Our defences whose promises take seconds to try. */
export const SLOW_PLUGINS: readonly string[] = ['spelling'];
