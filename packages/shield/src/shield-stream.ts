/** @file The shield for texts that do not fit in memory. */
import { type Shielded, type ShieldOptions, shield } from './shield.js';

/** Characters that are kept until a place is found at which a text may be cut. */
const [LEAST, MOST] = [4096, 65_536];

/**
 * Cleans a long text piece by piece, in memory that does not grow with it. Pieces are cut between words of two or more letters, so that no
 * disguise is cut apart; each piece has its own offsets.
 */
export class ShieldStream extends TransformStream<string, Shielded> {
  constructor(options: ShieldOptions = {}) {
    let kept = '';
    super({
      transform(chunk, controller) {
        kept += chunk;
        while (kept.length > MOST || (kept.length > LEAST && cutOf(kept) !== undefined)) {
          const cut = cutOf(kept) ?? MOST;
          controller.enqueue(shield(kept.slice(0, cut), options));
          kept = kept.slice(cut);
        }
      },
      flush(controller) {
        if (kept !== '') controller.enqueue(shield(kept, options));
      },
    });
  }
}

/** The last place at which a blank separates two plain words. */
function cutOf(text: string): number | undefined {
  for (let at = text.lastIndexOf(' ', text.length - 64); at > LEAST / 2; at = text.lastIndexOf(' ', at - 1))
    if (/[A-Za-z]{2,}[.,;!?]?$/.test(text.slice(at - 8, at)) && /^ [A-Za-z]{2,}/.test(text.slice(at, at + 8)))
      return at + 1;
  return undefined;
}
