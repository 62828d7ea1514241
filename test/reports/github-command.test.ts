import { describe, expect, test } from 'vitest';
import { githubCommand } from '../../reports/github-command.js';

describe('githubCommand', () => {
  test.each([
    ['a message', githubCommand('error', 'ASR rose'), '::error::ASR rose\n'],
    ['a title', githubCommand('warning', 'x', { title: 'typos: a, b' }), '::warning title=typos%3A a%2C b::x\n'],
    [
      'a place',
      githubCommand('notice', 'x', { file: 'a:b.ts', line: 3, title: '100%' }),
      '::notice file=a%3Ab.ts,line=3,title=100%25::x\n',
    ],
    ['lines', githubCommand('error', '100%\r\na\rb\nc'), '::error::100%25%0Aa%0Ab%0Ac\n'],
    ['another command', githubCommand('error', 'x\n::set-output name=a::b'), '::error::x%0A::set-output name=a::b\n'],
    ['an encoded line break', githubCommand('error', '%0A::error::y'), '::error::%250A::error::y\n'],
    ['a title that ends itself', githubCommand('error', 'x', { title: 'a::b\nc' }), '::error title=a%3A%3Ab c::x\n'],
    ['what cannot be seen', githubCommand('error', 'a\u202Eb\u001B[31m'), '::error::a<U+202E>b<U+001B>[31m\n'],
  ])('%s', (_, line, expected) => expect(line).toBe(expected));
});
