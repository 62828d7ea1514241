import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { base85, packedElement } from '../../reports/html/packed-data.js';
import { html } from '../../reports/html.js';
import { visible } from '../../reports/visible.js';
import { until } from '../model/processes.js';
import { chromium, launch, newPage, open } from './chromium.js';
import { outcomes, report, text } from './fixture.js';
import { hostileOutcomes, hostileReport } from './hostile.js';
import { INJECTIONS } from './injections.js';
import { manyTexts } from './many-texts.js';
import { faultsOf } from './page-faults.js';

test('a thousand adversarial texts of 230 words are under 1.2 MB', async () => {
  const document = await text(html.render(manyTexts(1000, 230)));
  expect(Buffer.byteLength(document)).toBeLessThan(1_200_000);
});

test('what does not fit is counted, and successes stay', async () => {
  const many = manyTexts(400, 20);
  const long = 'word '.repeat(20_000);
  const document = await text(
    html.render({
      ...many,
      examples: {
        async *[Symbol.asyncIterator]() {
          for await (const outcome of many.examples) {
            const { adversarial: _, ...rest } = outcome;
            yield { ...rest, id: `${outcome.id}f`, status: 'failed' as const, text: `${outcome.id} ${long}` };
            yield outcome;
          }
        },
      },
    }),
  );
  expect(Buffer.byteLength(document)).toBeLessThan(8_000_000);
  const { rows } = carried(document) as { rows: number[][] };
  expect(rows.filter((row) => row[2] === 0)).toHaveLength(400);
  expect(document).toContain(`${800 - rows.length} outcomes are not listed here`);
});

const PACKED = /data-digits="(.*?)" id="outcomes">(.*?)<\/script>/s;

/** The data of the page's script. */
function carried(document: string): unknown {
  const [, digits = '', packed = ''] = PACKED.exec(document)!;
  return JSON.parse(inflateRawSync(read85(packed, digits)).toString());
}

/** Ascii85, the slow way. */
function read85(text: string, digits: string): Uint8Array {
  const groups = text.match(/.{1,5}/gs) ?? [];
  const bytes = groups.flatMap((group) => {
    const full = [...group.padEnd(5, digits.at(-1))];
    const value = full.reduce((sum, sign) => 85n * sum + BigInt(digits.indexOf(sign)), 0n);
    return [24n, 16n, 8n, 0n].map((shift) => Number((value >> shift) & 255n)).slice(0, group.length - 1);
  });
  return Uint8Array.from(bytes);
}

test('bytes go into base 85 and come back', () => {
  const [, digits = ''] = PACKED.exec(packedElement('outcomes', 'much '.repeat(1e5)).text)!;
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const text = base85(bytes);
      expect(text).not.toMatch(/["&'<>\\`\s]/);
      expect(read85(text, digits)).toEqual(bytes);
    }),
  );
});

test('an empty run is a page too', async () => {
  const nothing = { async *[Symbol.asyncIterator]() {} };
  const document = await text(html.render(report({ attacks: [], examples: nothing, closest: [] })));
  expect(document).toContain('No example was attacked.');
});

describe.skipIf(chromium === undefined)(
  `in Chromium${chromium === undefined ? ': not installed, skipped' : ''}`,
  () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launch();
    });
    afterAll(() => browser.close());

    const choose = (page: Page, id: string, value: string) => page.select(`#${id}`, value);
    const search = (page: Page, words: string) =>
      page.$eval(
        '#words',
        (input, value) => {
          (input as unknown as { value: string }).value = value;
          input.dispatchEvent(new Event('input'));
        },
        words,
      );
    const ids = (page: Page) =>
      page.$$eval('#list > li .about span:first-of-type', (all) => all.map((each) => each.textContent));

    test.each([1280, 390])(
      '%i pixels wide: loads nothing, logs nothing, cuts nothing, and axe finds nothing',
      async (width) => {
        const { page, complaints, requests } = await open(browser, await text(html.render(report())), width);
        expect({ complaints, requests, faults: await faultsOf(page) }).toEqual({
          complaints: [],
          requests: [],
          faults: [],
        });
        await page.close();
      },
    );

    test('filters, searches, orders', async () => {
      const { page } = await open(browser, await text(html.render(report())));
      const count = () => page.$eval('#count', (each) => each.textContent);
      expect(await ids(page)).toEqual(['1', '3', '4', '5']);
      expect(await count()).toBe('4 of 7 outcomes.');
      await choose(page, 'status', '');
      expect(await ids(page)).toEqual(outcomes.map(({ id }) => id));
      await choose(page, 'attack', '2');
      expect(await ids(page)).toEqual(['3', '7']);
      await choose(page, 'attack', '');
      await choose(page, 'class', '0');
      expect(await ids(page)).toEqual(['1']);
      await choose(page, 'class', '');
      await search(page, 'IDIIT');
      expect(await ids(page)).toEqual(['1']);
      await search(page, 'nowhere to be found');
      expect(await count()).toBe('Nothing found among 7 outcomes.');
      await search(page, '');
      await choose(page, 'order', 'swing');
      expect((await ids(page))[0]).toBe('3');
      await page.close();
    });

    test('marks the words changed, and names what cannot be seen', async () => {
      const { page } = await open(browser, await text(html.render(report())));
      const first = await page.$eval('#list > li .text', (each) => each.innerHTML);
      expect(first).toBe('What an <del>idiot</del><ins>idiit</ins> !');
      const marks = await page.$$eval('#list ins', (all) => all.map((each) => each.textContent));
      expect(marks).toEqual(['idiit', 'goU+200Bod', 'g\u043E\u043Ed', 'evl']);
      expect(await page.$eval('#list .alike', (each) => each.textContent)).toBe(' \u043E=U+043E');
      await page.close();
    });

    test('what was found is saved as CSV, and charts as PNG', async () => {
      const [first] = outcomes;
      const formula = { ...first!, id: '=1+1', text: 'a\u200B "b", c', adversarial: 'a\u200B "d", c' };
      const examples = {
        async *[Symbol.asyncIterator]() {
          yield* [formula, ...outcomes];
        },
      };
      const { page, complaints } = await open(browser, await text(html.render(report({ examples }))));
      const folder = mkdtempSync(join(tmpdir(), 'robust-saved-'));
      const client = await page.createCDPSession();
      await client.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });
      const saved = async (button: string, name: RegExp) => {
        await page.$eval(button, (each) => (each as unknown as { click(): void }).click());
        const file = () => readdirSync(folder).find((each) => name.test(each));
        await until(() => file() !== undefined);
        return readFileSync(join(folder, file() as string));
      };
      const all = (await saved('#save', /^outcomes\.csv$/)).toString();
      expect(all.split('\r\n').slice(0, 2)).toEqual([
        '\uFEFFid,attack,status,label,from,to,scoreBefore,scoreAfter,words,changed,queriesAsked,text,adversarial',
        expect.stringMatching(/^'=1\+1,.*,"a<U\+200B> ""b"", c","a<U\+200B> ""d"", c"$/),
      ]);
      // Successes alone, as on a fresh page.
      expect(all.trim().split('\r\n')).toHaveLength(1 + 5);
      const table = (await saved('[aria-label*="Figures by attack"].save', /^Figures-by-attack\.csv$/)).toString();
      expect(table.split('\r\n')[0]).toMatch(/Attack success rate/);
      expect(complaints).toEqual([]);
      await page.close();
      rmSync(folder, { recursive: true });
    });

    test('pages through many', async () => {
      const { page } = await open(browser, await text(html.render(manyTexts(60, 12))));
      expect(await page.$eval('#where', (each) => each.textContent)).toBe('Page 1 of 3');
      await page.click('#later');
      await page.click('#later');
      expect(await ids(page)).toEqual(Array.from({ length: 10 }, (_, i) => `r${50 + i}`));
      expect(await page.$eval('#later', (each) => each.hasAttribute('disabled'))).toBe(true);
      await page.click('a[data-show-attack="1"]');
      expect(await page.$eval('#count', (each) => each.textContent)).toBe('30 of 60 outcomes, 1 to 25 shown.');
      await page.close();
    });

    test('many long texts come packed, and are read as they were', async () => {
      const many = manyTexts(100, 300);
      const { page, complaints } = await open(browser, await text(html.render(many)));
      await page.waitForSelector('#browser:not([hidden])');
      expect(complaints).toEqual([]);
      expect(await page.$eval('#count', (each) => each.textContent)).toBe('100 of 100 outcomes, 1 to 25 shown.');
      const shown = await page.$eval('#list > li .text', (each) => {
        for (const inserted of each.querySelectorAll('ins')) inserted.remove();
        return each.textContent;
      });
      expect(shown).toBe((await many.examples[Symbol.asyncIterator]().next()).value.text);
      await page.close();
    });

    test('a link to a text opens it on its page, whatever the filters were', async () => {
      const { page } = await open(browser, await text(html.render(manyTexts(60, 12))));
      await page.evaluate(
        "location.hash = new URLSearchParams({ text: 'r40', attack: document.querySelector('#attack').options[1].text })",
      );
      await page.waitForSelector('.linked');
      const linked = await page.$eval('.linked', (each) => each.textContent ?? '');
      expect(linked).toContain('r40');
      expect(await page.$eval('#where', (each) => each.textContent)).toBe('Page 2 of 3');
      await page.close();
    });

    test('keys search, step from text to text and list themselves; they can be turned off', async () => {
      const { page } = await open(browser, await text(html.render(report())));
      const focused = () =>
        page.evaluate("document.activeElement.id || document.activeElement.closest('li')?.textContent");
      await page.keyboard.press('/');
      expect(await focused()).toBe('words');
      await page.keyboard.type('/?jk');
      expect(await page.$eval('#words', (input) => (input as unknown as { value: string }).value)).toBe('/?jk');
      await page.focus('#show-keys');
      await page.keyboard.press('?');
      expect(await page.$eval('#keys', (each) => each.hasAttribute('open'))).toBe(true);
      await page.click('#keys-on');
      await page.keyboard.press('Escape');
      await page.keyboard.press('/');
      expect(await focused()).not.toBe('words');
      await page.close();
    });

    test('the columns that decide are shown, the others on request', async () => {
      const { page } = await open(browser, await text(html.render(report())));
      const heads = () =>
        page.$$eval('#attacks thead th', (all) =>
          all.filter((each) => each.checkVisibility()).map((each) => each.textContent),
        );
      const few = await heads();
      expect(few).toContain('Attack success rate');
      expect(few).not.toContain('Skipped');
      await page.click('#attacks .all-columns input');
      expect(await heads()).toEqual(expect.arrayContaining([...few, 'Skipped']));
      await page.close();
    });

    test('long texts are folded, and open', async () => {
      const long = 'one word after another '.repeat(100).trim();
      const [first] = outcomes;
      const turned = { ...first!, text: `${long} good ${long}`, adversarial: `${long} goood ${long}` };
      const examples = {
        async *[Symbol.asyncIterator]() {
          yield turned;
        },
      };
      const { page } = await open(browser, await text(html.render(report({ examples }))));
      const shown = () => page.$eval('#list .text', (each) => each.textContent ?? '');
      expect((await shown()).length).toBeLessThan(600);
      expect(await shown()).toContain('goodgoood');
      for (let left = 2; left > 0; left--) await page.click('#list .more');
      expect(await shown()).toBe(`${long} goodgoood ${long}`);
      await page.close();
    });

    test('every hostile text is shown as it is', async () => {
      const { page, complaints, requests } = await open(browser, await text(html.render(hostileReport(0))), 390);
      const shown: string[] = [];
      await choose(page, 'status', '');
      for (;;) {
        shown.push(...(await page.$$eval('#list .text', (all) => all.map((each) => each.textContent ?? ''))));
        if (await page.$eval('#later', (each) => each.hasAttribute('disabled'))) break;
        await page.click('#later');
      }
      expect(shown).toHaveLength(hostileOutcomes.length);
      // The unsuccessful ones show the injection alone.
      expect(shown.filter((_, i) => i % 2 === 1)).toEqual(
        INJECTIONS.map((injection) => visible(injection).replace(/<(U\+[\dA-F]{4,6})>/g, '$1')),
      );
      expect(await page.evaluate('window.ran')).toBeUndefined();
      expect([...complaints, ...requests]).toEqual([]);
      await page.close();
    });

    test.each([0, 40, 80, 120, 160])('no hostile name runs, loads or breaks out: %i', async (start) => {
      const { page, complaints, requests } = await open(browser, await text(html.render(hostileReport(start))), 390);
      expect(await page.evaluate('window.ran')).toBeUndefined();
      expect(complaints).toEqual([]);
      expect(requests).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
      // Nothing but what the page is made of.
      expect(
        await page.$$eval(
          'img,iframe,object,embed,form,base,video,audio,math,template,style+style',
          (all) => all.length,
        ),
      ).toBe(0);
      expect(await page.$$eval('script', (all) => all.length)).toBe(5);
      expect(
        await page.$$eval('*', (all) =>
          all.flatMap((each) => each.getAttributeNames().filter((name: string) => name.startsWith('on'))),
        ),
      ).toEqual([]);
      await page.close();
    });

    test('its policy lets no other script run', async () => {
      const { page, complaints } = await open(browser, await text(html.render(report())));
      await page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), { textContent: 'ran = 1' }))",
      );
      expect(await page.evaluate('window.ran')).toBeUndefined();
      expect(complaints.join()).toContain('Content Security Policy');
      await page.close();
    });

    test('every control has a name, and headings go down by one', async () => {
      const { page } = await open(browser, await text(html.render(hostileReport(3))));
      const names = await page.$$eval('button,select,input,[role=group],[role=search],nav,svg[role=img]', (all) =>
        all.map(
          (each) =>
            each.getAttribute('aria-label') ??
            (each.id === '' ? null : each.ownerDocument.querySelector(`label[for="${each.id}"]`)?.textContent) ??
            (each.closest('label') ?? each).textContent,
        ),
      );
      expect(names.length).toBeGreaterThan(10);
      for (const name of names) expect(name).toMatch(/\S/);
      const levels = await page.$$eval('h1,h2,h3,h4', (all) => all.map((each) => Number(each.tagName[1])));
      expect(levels[0]).toBe(1);
      for (const [i, level] of levels.entries()) if (i > 0) expect(level - levels[i - 1]!).toBeLessThanOrEqual(1);
      const seen = await page.$$eval('[id]', (all) => all.map((each) => each.id));
      expect(new Set(seen).size).toBe(seen.length);
      await page.close();
    });

    test.each(['light', 'dark'])('text stands out in the %s theme (WCAG 2.2, 1.4.3)', async (scheme) => {
      const { page } = await open(browser, await text(html.render(hostileReport(3))));
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      const contrasts = (await page.evaluate(CONTRASTS)) as { text: string; contrast: number }[];
      expect(contrasts.length).toBeGreaterThan(50);
      for (const each of contrasts) expect(each.contrast, each.text).toBeGreaterThanOrEqual(4.5);
      await page.close();
    });

    test('the theme turns by its button, whatever the system has', async () => {
      const { page } = await open(browser, await text(html.render(report())));
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
      const paper = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
      const light = await paper();
      await page.focus('#theme');
      await page.keyboard.press('Enter');
      expect(await paper()).not.toBe(light);
      expect(await page.$eval('#theme', (each) => each.textContent)).toBe('Theme: dark');
      await page.close();
    });

    test('without scripts the figures and the adversarial texts stand', async () => {
      const page = await newPage(browser);
      await page.setJavaScriptEnabled(false);
      await page.setContent(await text(html.render(report())));
      expect(await page.$$eval('table', (all) => all.length)).toBeGreaterThan(2);
      expect(await page.$$eval('#adversarial ins', (all) => all.length)).toBeGreaterThan(2);
      expect(await page.$eval('#browser', (each) => each.hasAttribute('hidden'))).toBe(true);
      await page.close();
    });

    test('on paper there are no controls', async () => {
      const { page } = await open(browser, await text(html.render(report())));
      await page.emulateMediaType('print');
      expect(
        await page.$$eval('button,.filters,nav', (all) => all.every((each) => each.checkVisibility() === false)),
      ).toBe(true);
      await page.close();
    });
  },
);

/** In the page: the contrast of every element with text of its own to what lies behind it (WCAG 2.2, "relative luminance"). */
const CONTRASTS = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const [r, g, b, a] = rgba(getComputedStyle(at).backgroundColor);
      if (a > 0) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  return [...document.body.querySelectorAll('*')]
    .filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim() !== '') && e.checkVisibility() && !e.disabled)
    .filter((e) => !['SCRIPT', 'STYLE', 'NOSCRIPT', 'OPTION'].includes(e.tagName))
    .map((e) => {
      const style = getComputedStyle(e);
      const fore = rgba(e instanceof SVGElement ? style.fill : style.color).slice(0, 3);
      const [a, b] = [luminance(fore), luminance(behind(e))].sort((x, y) => y - x);
      return { text: e.className + ' ' + e.textContent.slice(0, 40), contrast: (a + 0.05) / (b + 0.05) };
    });
})()`;
