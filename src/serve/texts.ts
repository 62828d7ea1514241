/** @file Texts as bodies hold them. All throw Refusal 400 that says what was expected and what came. */
import { PAIR_SEPARATOR } from '../core/pair.js';
import { Refusal } from './protocol.js';

/** A value in a few words, for messages. */
export function shownValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  const written = JSON.stringify(value);
  return written.length > 60 ? `${written.slice(0, 60)}...` : written;
}

export function textAt(value: unknown, where: string): string {
  if (typeof value !== 'string') throw new Refusal(400, `${where}: expected a text, got ${shownValue(value)}`);
  if (value.includes(PAIR_SEPARATOR)) {
    throw new Refusal(400, `${where}: expected a text of Unicode characters, got the noncharacter U+FDD0`);
  }
  return value;
}

export function listAt(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Refusal(400, `${where}: expected a list, got ${shownValue(value)}`);
  return value;
}

export function objectAt(value: unknown, where: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Refusal(400, `${where}: expected an object, got ${shownValue(value)}`);
}

/** A text, or a list of them. */
export function textsAt(value: unknown, where: string): string[] {
  return typeof value === 'string'
    ? [textAt(value, where)]
    : listAt(value, where).map((each, at) => textAt(each, `${where}[${at}]`));
}

/** Two texts that are read together, as the model is asked them. */
export const pairAt = (first: unknown, second: unknown, where: string): string =>
  `${textAt(first, where)}${PAIR_SEPARATOR}${textAt(second, where)}`;
