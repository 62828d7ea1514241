/** @file The text of a token as configs write it: itself, or the content of an object. */
import { isObject } from '../../../core/json.js';

export function contentOf(token: unknown): string | undefined {
  const content = isObject(token) ? token.content : token;
  return typeof content === 'string' ? content : undefined;
}
