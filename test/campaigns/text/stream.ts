/** @file A document on its way to a terminal or a log, through the gate that every process of ours has. */
import { guardStreams } from '../../../src/commands/_shared/guarded.js';
import type { Random } from '../../../src/plugin.js';

/** Output of a text that is written in pieces, cut anywhere, even within a character. */
export function arrived(text: string, colours: boolean, random: Random): string {
  let all = '';
  const stream = <Fd extends 1 | 2>() =>
    ({
      write(chunk: string) {
        all += chunk;
        return true;
      },
    }) as unknown as NodeJS.WriteStream & { fd: Fd };
  const stdout = stream<1>();
  guardStreams({ stdout, stderr: stream<2>(), env: colours ? { FORCE_COLOR: '1' } : {} });
  const bytes = Buffer.from(text);
  const most = random.pick([4, 100, 100_000]);
  for (let at = 0; at < bytes.length; ) {
    const to = at + 1 + random.int(Math.min(most, bytes.length));
    stdout.write(bytes.subarray(at, to));
    at = to;
  }
  return all;
}
