/** @file A line of `--log json`: an object, for those who collect the words of many machines. */
import { hostname } from 'node:os';

export type LogLevel = 'debug' | 'info' | 'warning' | 'error';

export const logLine = (level: LogLevel, message: string, fields: Readonly<Record<string, unknown>> = {}): string =>
  `${JSON.stringify({ time: new Date().toISOString(), level, host: hostname(), pid: process.pid, message, ...fields })}\n`;
