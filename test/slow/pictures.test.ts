/**
 * The report and the page of `robust ui`, as the bundled model makes them, in a real browser: nothing that axe finds, nothing asked of anybody else.
 * `SCREENSHOTS=docs/images` keeps the pictures of the documents.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ui } from '../../src/app/ui.js';
import { robust } from '../commands/cli.js';
import { chromium, launch, visit } from '../reports/chromium.js';

const SIZE = { width: 1100, height: 760 };
const shots = process.env.SCREENSHOTS && resolve(process.env.SCREENSHOTS);

describe.skipIf(chromium === undefined)(
  `in Chromium${chromium === undefined ? ': not installed, skipped' : ''}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'robust-pictures-'));
    let browser: Browser;
    beforeAll(async () => {
      browser = await launch();
    });
    afterAll(async () => {
      await browser?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    async function judged(page: Page, name: string): Promise<void> {
      await page.evaluate(axe.source);
      for (const scheme of ['light', 'dark']) {
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
        const found = await page.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))');
        expect({ scheme, found }).toEqual({ scheme, found: [] });
        if (shots) await page.screenshot({ path: join(shots, `${name}-${scheme}.png`) });
      }
    }

    test('the report of the first command', async () => {
      const args = ['attack', '--model', 'distilbert', '--suite', 'typos', '-o', 'report.html'];
      expect(await robust(args, { cwd: folder })).toMatchObject({ code: 0 });
      const { page, complaints } = await visit(browser, pathToFileURL(join(folder, 'report.html')).href, SIZE);
      await judged(page, 'report');
      expect(await page.$eval('h1', ({ textContent }) => textContent)).toContain('distilbert');
      expect(complaints).toEqual([]);
    }, 600_000);

    test('the playground', async () => {
      const before = process.cwd();
      process.chdir(folder);
      const server = await ui({ model: ['distilbert', 'bert-mini'], port: 0 });
      try {
        const { page, complaints } = await visit(browser, server.url, SIZE);
        const asked = { text: 'Still steaming when it reached the fourth floor, and the rider wished us good night.' };
        const rest = { model: 'distilbert', attack: 'textbugger', do: 'attack' };
        await page.goto(new URL(`/?${new URLSearchParams({ ...asked, ...rest })}`, server.url).href);
        await page.waitForSelector('#attacks .answer', { timeout: 60_000 });
        await judged(page, 'playground');
        expect(await page.$eval('#attacks .answer b', ({ textContent }) => textContent)).toBe('The attack succeeded');
        expect(complaints).toEqual([]);
      } finally {
        await server.close();
        process.chdir(before);
      }
    }, 300_000);
  },
);
