/** @file How long an endpoint wants to be left alone, as its headers say. */
import { type Headers, headerOf } from '../protocols/client.js';
import { milliseconds } from './units.js';

/** A number this large is a moment in seconds since 1970, not a time to wait. */
const A_MOMENT = 1e9;

/**
 * Milliseconds to wait from `now` (since 1970): by `retry-after-ms`, else `Retry-After` (seconds, or a date), else the latest of
 * `x-ratelimit-reset-*` for what is used up. Undefined where nothing says so, and of what cannot be read.
 */
export function requestedWait(headers: Headers, now: number): number | undefined {
  const exact = Number(headerOf(headers, 'retry-after-ms') ?? Number.NaN);
  if (exact >= 0) return exact;
  const after = headerOf(headers, 'retry-after')?.trim();
  if (after !== undefined && after !== '') {
    if (/^\d+(\.\d+)?$/.test(after)) return Number(after) * 1000;
    const date = Date.parse(after);
    if (!Number.isNaN(date)) return Math.max(0, date - now);
  }
  const resets = Object.keys(headers).flatMap((name) => {
    const [, kind] = /^(?:x-)?ratelimit-reset(?:-(.+))?$/.exec(name) ?? [undefined, undefined];
    if (kind === undefined && !/^(?:x-)?ratelimit-reset$/.test(name)) return [];
    const left = headerOf(headers, name.replace('reset', 'remaining'));
    if (left !== undefined && Number(left) > 0) return [];
    return resetWait(headerOf(headers, name) ?? '', now) ?? [];
  });
  return resets.length === 0 ? undefined : Math.max(...resets);
}

function resetWait(written: string, now: number): number | undefined {
  const text = written.trim();
  if (/^\d+(\.\d+)?$/.test(text) && Number(text) > A_MOMENT) return Math.max(0, Number(text) * 1000 - now);
  const time = milliseconds(text);
  if (time !== undefined) return time;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
