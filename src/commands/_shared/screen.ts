/** @file Capabilities of the terminal at the end of a stream. */
import { WriteStream } from 'node:tty';
import type { Screen } from '../../../reports/layout.js';

const LEVELS = { 1: 0, 4: 1, 8: 2, 24: 3 } as const;

/**
 * Columns and colours of a stream. COLUMNS wins over the terminal's own width; off-terminal it is 80. FORCE_COLOR,
 * NO_COLOR and TERM=dumb are Node's to weigh.
 */
export async function screenOf(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Promise<Screen> {
  const { Chalk } = await import('chalk');
  const columns = Number(env.COLUMNS);
  const width = Number.isInteger(columns) && columns > 0 ? columns : (stream.columns ?? 80);
  const seen = stream.isTTY === true || env.FORCE_COLOR !== undefined;
  const depth = seen ? WriteStream.prototype.getColorDepth.call(stream, env) : 1;
  return { width: Math.max(width, 40), chalk: new Chalk({ level: LEVELS[depth as keyof typeof LEVELS] ?? 0 }) };
}
