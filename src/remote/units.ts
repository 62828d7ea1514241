/** @file Times and rates as people write them: "30s", "1m30s", "50/s". */
import { must } from '../core/errors.js';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds that "30s", "6m0s", "250ms" or "1.5" (seconds) mean; undefined for other texts. */
export function milliseconds(written: string): number | undefined {
  const text = written.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  if (!/^(\d+(\.\d+)?(ms|[smhd]))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, number, unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g))
    total += Number(number) * must(UNITS[unit]);
  return total;
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, sec: 1, m: 60, min: 60, h: 3600 };

/** Requests a second that "50/s", "300/min" or "1000/h" mean; undefined for other texts, and for 0. */
export function perSecond(written: string): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)\s*\/\s*(s|sec|m|min|h)$/.exec(written.trim()) ?? [];
  const rate = number === undefined ? 0 : Number(number) / must(SECONDS[unit]);
  return rate > 0 ? rate : undefined;
}
