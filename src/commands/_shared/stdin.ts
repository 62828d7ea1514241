/** @file The text that `-` stands for. */
import { RobustError } from '../../core/errors.js';

/** Most bytes read from stdin: more is no text to explain. */
const MAX_STDIN_BYTES = 2 ** 20;

/** Throws RobustError where stdin is a terminal, or holds more than one text. */
export async function textOfStdin(): Promise<string> {
  if (process.stdin.isTTY)
    throw new RobustError('expected a text on stdin, which is a terminal', {
      code: 'FLAG_INVALID',
      hint: 'For example: echo "A fine film." | robust explain -',
    });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > MAX_STDIN_BYTES)
      throw new RobustError('expected one text on stdin, got more than a megabyte', {
        code: 'FLAG_INVALID',
        hint: 'Many texts come from a file: --data.',
      });
  }
  return Buffer.concat(chunks).toString('utf8').trim();
}
