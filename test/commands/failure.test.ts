import { describe, expect, test } from 'vitest';
import { failureDocument, failureOf, failureText } from '../../src/commands/_shared/failure.js';
import { CommandStopped } from '../../src/commands/_shared/interruption.js';
import { ModelError, OutputError, RobustError } from '../../src/core/errors.js';

describe('exit codes', () => {
  test.each([
    ['usage', new RobustError('m', { code: 'FLAG_INVALID' }), 2],
    ['model', new ModelError('m', { code: 'MODEL_DAMAGED' }), 3],
    ['data', new RobustError('m', { code: 'DATA_DAMAGED' }), 3],
    ['plugin', new RobustError('m', { code: 'PLUGIN_DAMAGED' }), 3],
    ['output', new OutputError('m', { code: 'OUTPUT_UNREACHABLE' }), 3],
    ['Ctrl-C', new CommandStopped('m', 130, 'h'), 130],
    ['the flag parser', Object.assign(new Error('Flag --seed expects a value'), { oclif: { exit: 2 } }), 2],
    ['a defect', new TypeError('x is not a function'), 70],
    ['a defect that claims another code', Object.assign(new Error('m'), { exit: 1, exitCode: 1 }), 70],
  ])('%s', (_, error, exit) => expect(failureOf(error).exit).toBe(exit));
});

test.each(['oops', undefined])(
  '%j, which is no error, is a defect where no module of a user was loaded',
  async (thrown) => {
    // An instance of its own: other tests of this process may have loaded modules.
    const own = '../../src/core/user-code.js?own';
    const { lateUserError } = (await import(own)) as typeof import('../../src/core/user-code.js');
    expect(lateUserError(thrown)).toBeUndefined();
  },
);

test('the words of the flag parser around a message go', () => {
  const error = new RobustError('Parsing --seed \n\texpected a number\nSee more help with --help', {
    code: 'FLAG_INVALID',
  });
  expect(failureOf(error).message).toBe('expected a number');
});

test('a stack is printed only on request, that of a cause too', () => {
  const cause = new Error('deep');
  const failure = failureOf(new RobustError('shallow', { code: 'PLUGIN_DAMAGED', hint: 'do this', cause }));
  expect(failureText(failure, false)).toBe('Error: shallow\ndo this');
  expect(failureText(failure, true)).toContain('failure.test');
});

test('what hostile data put into a message does not act on the terminal', () => {
  const failure = failureOf(new RobustError('no label "\u001B[2J\u202Ex"\nsecond line', { code: 'LABELS_DAMAGED' }));
  expect(failureText(failure, false)).toBe('Error: no label "<U+001B>[2J<U+202E>x"\nsecond line');
});

test('the document for programs', () => {
  const failure = failureOf(new ModelError('m', { code: 'MODEL_NOT_FOUND', hint: 'h' }));
  expect(JSON.parse(failureDocument('attack', failure, ['w']))).toEqual({
    schemaVersion: 1,
    ok: false,
    command: 'attack',
    error: { code: 'MODEL_NOT_FOUND', message: 'm', hint: 'h', exit: 2 },
    warnings: ['w'],
  });
});
