/** @file How many texts give which interval. */
import { wilsonBounds } from '../core/statistics/stats.js';

/** Width of the 95 % Wilson interval of a share of one half of `texts` texts, which is the widest of all shares. */
export function intervalWidth(texts: number): number {
  const { low, high } = wilsonBounds(0.5, texts);
  return high - low;
}

/** The fewest texts whose interval is at most `width` wide, whatever the share is. `width`: above 0. */
export function textsForWidth(width: number): number {
  let texts = 1;
  while (intervalWidth(texts) > width) texts += 1;
  return texts;
}
