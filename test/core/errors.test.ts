import { expect, test } from 'vitest';
import { codeOf, messageOf } from '../../src/core/errors.js';

test.each([
  [new TypeError('no such text'), 'no such text'],
  ['thrown by a module', 'thrown by a module'],
  [undefined, 'undefined'],
])('%o has a message', (thrown, message) => expect(messageOf(thrown)).toBe(message));

test.each([
  [Object.assign(new Error('gone'), { code: 'ENOENT' }), 'ENOENT'],
  [new Error('gone'), undefined],
  ['ENOENT', undefined],
  [undefined, undefined],
])('%o has the code of the system, if any', (thrown, code) => expect(codeOf(thrown)).toBe(code));
