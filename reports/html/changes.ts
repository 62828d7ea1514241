/** @file A text with what was changed in it marked, word by word. */
import { lookAlikes } from '../visible.js';
import type { Segment } from '../word-diff.js';
import { html, type Markup, visibleHtml } from './markup.js';

/** Segments of `wordDiff`; removed words are `<del>`, the attacker's `<ins>`, look-alike letters are named. */
export const changes = (segments: readonly Segment[]): Markup =>
  html`${segments.map((segment) =>
    segment.changed
      ? html`${segment.from !== '' && html`<del>${visibleHtml(segment.from)}</del>`}${segment.to !== '' && html`<ins>${visibleHtml(segment.to)}</ins>`}${note(segment.from, segment.to)}`
      : visibleHtml(segment.text),
  )}`;

function note(from: string, to: string): Markup | false {
  const alike = lookAlikes(from, to);
  return alike.length > 0 && html`<small class="alike"> ${alike.join(', ')}</small>`;
}
