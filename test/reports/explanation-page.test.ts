/** The page of explanations in a real browser: nothing is loaded, nothing breaks, attention answers to the pointer. */
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { explanationFormats } from '../../reports/index.js';
import { chromium, launch, open } from './chromium.js';
import { explanation, pair } from './explanation.js';
import { text } from './fixture.js';
import { INJECTIONS } from './injections.js';
import { faultsOf } from './page-faults.js';

const render = explanationFormats.find(({ name }) => name === 'html')!.render;

describe.skipIf(chromium === undefined)(`explanations in Chromium${chromium ? '' : ': not installed, skipped'}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  const said = (page: Page): Promise<string> => page.$eval('.answers', (element) => element.textContent ?? '');
  const lines = (page: Page): Promise<number> =>
    page.$$eval('.attention:first-of-type .lines line', (all) => all.length);

  test.each([1280, 390])(
    '%i pixels wide: loads nothing, logs nothing, cuts nothing, and axe finds nothing',
    async (width) => {
      const { page, complaints, requests } = await open(browser, await text(render(pair)), width);
      expect({ complaints, requests, faults: await faultsOf(page) }).toEqual({
        complaints: [],
        requests: [],
        faults: [],
      });
      await page.close();
    },
  );

  test('a token pressed is left out, and the answer without it shown; pressed again it is back', async () => {
    const { page } = await open(browser, await text(render({ ...pair, explanations: [explanation('x')], models: 1 })));
    expect(await said(page)).toContain('The whole text');
    // [start], A, good, slow, film: the third word is "slow".
    await page.click('.tokens.to li:nth-child(4) button');
    expect(await said(page)).toContain('Without “slow”');
    expect(await said(page)).toContain('0.93 +0.19');
    await page.click('.tokens.to li:nth-child(4) button');
    expect(await said(page)).toContain('The whole text');
    await page.close();
  });

  test('layer and head choose the lines; a token pointed at shows its own', async () => {
    const { page } = await open(browser, await text(render({ ...pair, explanations: [explanation('x')], models: 1 })));
    await page.click('[data-layer="0"]');
    await page.click('[data-head="1"]');
    // Sharp attention: one line a token.
    expect(await lines(page)).toBe(6);
    await page.focus('.tokens.to li:nth-child(2) button');
    expect(await lines(page)).toBe(1);
    await page.close();
  });

  test('no injection is ever run', async () => {
    const hostile = {
      ...pair,
      explanations: [explanation('x', `A good slow film ${INJECTIONS.join(' ')}`)],
      models: 1,
    };
    const { page, complaints, requests } = await open(browser, await text(render(hostile)));
    expect({ complaints, requests }).toEqual({ complaints: [], requests: [] });
    await page.close();
  });
});
