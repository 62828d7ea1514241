/** @file Attention to walk through: a layer, a head, a token; a token left out, and what the model then says. The page's script draws it. */
import type { Explanation } from '../../src/results/report/explanation.js';
import { visible } from '../visible.js';
import { dataElement, html, type Markup } from './markup.js';

/** `id` distinguishes several views on one page. */
export function attentionView(id: string, { attention, probabilities, model, label }: Explanation): Markup | false {
  if (attention === undefined) return false;
  const { tokens, layers, heads, weights, without } = attention;
  const button = (group: string, value: number | string, name: string | number, pressed: boolean): Markup =>
    html`<button type="button" data-${group}="${value}" aria-pressed="${String(pressed)}">${name}</button>`;
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
  return html`<div class="attention" data-view="${id}" hidden>
<div class="choices" role="group" aria-label="Layer"><span>Layer</span>${numbers(layers).map((at) => button('layer', at, at + 1, at === layers - 1))}</div>
<div class="choices" role="group" aria-label="Head"><span>Head</span>${button('head', 'mean', 'mean', true)}${numbers(heads).map((at) => button('head', at, at + 1, false))}</div>
<div class="answers" role="status" aria-live="polite"></div>
<div class="weave"><ol class="tokens to"></ol><svg class="lines" aria-hidden="true"></svg><ol class="tokens from"></ol></div>
</div>
<noscript><p>To walk through the attention, let this page run its own script; it loads nothing.</p></noscript>
${dataElement(`attention-${id}`, {
  tokens: tokens.map(({ text, special, slot }, at) => ({
    text: special ? (at === 0 ? '‹start›' : '‹end›') : visible(text),
    slot,
  })),
  layers,
  heads,
  weights,
  without,
  probabilities,
  labels: model.labels.map(visible),
  label: model.labels.indexOf(label),
})}`;
}
