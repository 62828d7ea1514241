/** @file Faults of a rendered page: the findings of axe, and parts that are cut or wider than the window. */
import axe from 'axe-core';
import type { Page } from 'puppeteer-core';

/** Each as one line; none if all is well. */
export async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const violations = (await page.evaluate(AXE)) as string[];
  return [...violations, ...((await page.evaluate(CUT)) as string[])];
}

const AXE = `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ' at ' + target)))`;

/**
 * In the page: text that leaves the window or its box. Only an element that scrolls sideways, can be reached by keyboard and shows by its
 * shadow that there is more may be wider than its box; and a text that ends in an ellipsis has its whole in a title.
 */
const CUT = `(() => {
  const name = (e) => e.tagName.toLowerCase() + (e.id && '#' + e.id) + [...e.classList].map((one) => '.' + one).join('') + ' "' + e.textContent.trim().slice(0, 40) + '"';
  const scrolls = (e) => ['auto', 'scroll'].includes(getComputedStyle(e).overflowX);
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth) found.push('the page scrolls sideways: ' + document.documentElement.scrollWidth);
  for (const e of document.body.querySelectorAll('*')) {
    if (!e.checkVisibility() || e.closest('svg svg, .unseen, .skip, [aria-hidden=true]') || e instanceof SVGElement) continue;
    const style = getComputedStyle(e);
    if (style.display === 'inline') continue;
    const box = e.getBoundingClientRect();
    if (box.width > 1 && (box.right > innerWidth + 1 || box.left < -1)) {
      let at = e.parentElement;
      while (at && !scrolls(at)) at = at.parentElement;
      if (at === null) found.push('outside the window: ' + name(e));
    }
    if (e.scrollWidth <= e.clientWidth + 1 || e.clientWidth === 0) continue;
    if (scrolls(e)) {
      if (e.tabIndex < 0 && !e.querySelector('a, button, input')) found.push('scrolls, but not by keyboard: ' + name(e));
      if (style.backgroundImage === 'none' && e.matches('.scroll')) found.push('scrolls without a cue: ' + name(e));
    } else if (style.overflowX !== 'visible' && !['INPUT', 'TEXTAREA', 'SELECT'].includes(e.tagName) && !e.title) found.push('cut: ' + name(e));
  }
  return [...new Set(found)];
})()`;
