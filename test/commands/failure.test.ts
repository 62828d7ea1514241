import { describe, expect, test } from 'vitest';
import { failureDocument, failureOf, failureText } from '../../src/commands/_shared/failure.js';
import { CommandStopped } from '../../src/commands/_shared/interruption.js';
import { DatasetError, ModelError, OutputError, PluginError, UsageError } from '../../src/core/errors.js';

describe('exit codes', () => {
  test.each([
    ['usage', new UsageError('m', { code: 'C' }), 2],
    ['model', new ModelError('m', { code: 'C' }), 3],
    ['data', new DatasetError('m', { code: 'C' }), 3],
    ['plugin', new PluginError('m', { code: 'C' }), 3],
    ['output', new OutputError('m', { code: 'C' }), 3],
    ['Ctrl-C', new CommandStopped('m', 130, 'h'), 130],
    ['the flag parser', Object.assign(new Error('Flag --seed expects a value'), { oclif: { exit: 2 } }), 2],
    ['a defect', new TypeError('x is not a function'), 70],
    ['a defect that claims another code', Object.assign(new Error('m'), { exit: 1, exitCode: 1 }), 70],
    ['not even an error', 'oops', 70],
    ['nothing', undefined, 70],
  ])('%s', (_, error, exit) => expect(failureOf(error).exit).toBe(exit));
});

test('the words of the flag parser around a message go', () => {
  const error = new UsageError('Parsing --seed \n\texpected a number\nSee more help with --help', { code: 'USAGE' });
  expect(failureOf(error).message).toBe('expected a number');
});

test('a stack is printed only on request, that of a cause too', () => {
  const cause = new Error('deep');
  const failure = failureOf(new PluginError('shallow', { code: 'C', hint: 'do this', cause }));
  expect(failureText(failure, false)).toBe('Error: shallow\ndo this');
  expect(failureText(failure, true)).toContain('failure.test');
});

test('what hostile data put into a message does not act on the terminal', () => {
  const failure = failureOf(new DatasetError('no label "\u001B[2J\u202Ex"\nsecond line', { code: 'C' }));
  expect(failureText(failure, false)).toBe('Error: no label "<U+001B>[2J<U+202E>x"\nsecond line');
});

test('the document for programs', () => {
  const failure = failureOf(new ModelError('m', { code: 'MODEL_NOT_FOUND', hint: 'h' }));
  expect(JSON.parse(failureDocument('attack', failure, ['w']))).toEqual({
    schemaVersion: 1,
    ok: false,
    command: 'attack',
    error: { code: 'MODEL_NOT_FOUND', message: 'm', hint: 'h', exit: 3 },
    warnings: ['w'],
  });
});
