/** The pages in a real browser, over a toy model and runs that were made for it. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attack } from '../../src/app/attack.js';
import { type RunningUi, ui } from '../../src/app/ui.js';
import { toy } from '../commands/cli.js';
import { chromium, launch, newPage, visit } from '../reports/chromium.js';
import { faultsOf } from '../reports/page-faults.js';

const before = process.cwd();
let folder: string;
let server: RunningUi;
const runs: string[] = [];
const slowModel = './slow.mjs';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'robust-ui-'));
  process.chdir(folder);
  const rows = Array.from({ length: 40 }, (_, at) => `A ${at % 2 ? 'good' : 'dull'} film, number ${at}.\t${at % 2}`);
  writeFileSync('dev.tsv', `text\tlabel\n${rows.join('\n')}\n`);
  writeFileSync(slowModel, readFileSync(toy, 'utf8').replace('process.env.TOY_DELAY ?? 0', '300'));
  // Another model, which looks for other words.
  writeFileSync('rival.mjs', readFileSync(toy, 'utf8').replace('\\bgood\\b', 'good|film'));
  for (const model of [toy, './rival.mjs']) {
    const { run } = await attack({ model, data: 'dev.tsv', attacks: ['deepwordbug'], numExamples: 0 });
    runs.push(run);
  }
  const require = ['clean.accuracy >= 0.9', 'deepwordbug.attackSuccessRate <= 0.1', 'typos.attackSuccessRate <= 0.1'];
  server = await ui({ model: [toy, 'missing.mjs'], data: ['dev.tsv'], port: 0, require });
});

afterAll(async () => {
  await server?.close();
  process.chdir(before);
});

const text = 'What a good film, isn’t it?';
const link = (path: string): string => new URL(path, server.url).href;
const playground = (more: Record<string, string>): string =>
  `/?${new URLSearchParams({ text, model: toy, attack: 'deepwordbug', ...more })}`;

describe.skipIf(chromium === undefined)(
  `in Chromium${chromium === undefined ? ': not installed, skipped' : ''}`,
  () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launch();
      const page = await newPage(browser);
      await page.goto(server.url);
      await page.close();
    });
    afterAll(() => browser?.close());

    const shown = (page: Page, selector: string) =>
      page.waitForSelector(selector).then(() => page.$eval(selector, (found) => found.textContent ?? ''));

    test('a sentence is typed, decided, attacked and explained; the address does it again', async () => {
      const { page, complaints } = await visit(browser, link('/'));
      await page.select('#first', toy);
      await page.type('#text', text);
      expect(await shown(page, '#answers .answer b')).toBe('positive');
      await page.keyboard.down('Control');
      await page.keyboard.press('Enter');
      await page.keyboard.up('Control');
      expect(await shown(page, '#attacks .answer b')).toBe('The attack succeeded');
      const adversarial = await shown(page, '#attacks ins');
      expect(adversarial).not.toContain('good');
      expect(await page.$$eval('#attacks .steps li', ({ length }) => length)).toBeGreaterThan(0);
      const address = page.url();

      await page.click('#run-explain');
      expect(await shown(page, '#explanation .word-bars .name')).toBe('What');
      expect(await page.$eval('#explanation .for-5', (word) => word.textContent)).toBe('good');

      await page.goto(address);
      expect(await shown(page, '#attacks .answer b')).toBe('The attack succeeded');
      expect(await shown(page, '#attacks ins')).toBe(adversarial);
      // The text that fooled it becomes the text.
      await page.click('#attacks button');
      await page.waitForFunction("document.querySelector('#answers .answer b')?.textContent === 'negative'");
      expect(await page.$eval('#text', (area) => (area as unknown as { value: string }).value)).toContain(adversarial);
      expect(complaints).toEqual([]);
      await page.close();
    });

    test('a missing model, and an attack that does not fit, give errors in their place', async () => {
      const { page } = await visit(browser, link(playground({ model: 'missing.mjs' })));
      expect(await shown(page, '#answers [role=alert]')).toContain('missing.mjs');
      await page.goto(link(playground({ attack: 'fgsm', do: 'attack' })));
      expect(await shown(page, '#attacks [role=alert]')).toMatch(/gradients/);
      await page.close();
    });

    test('runs are found, read and compared from link to link', async () => {
      const { page, complaints } = await visit(browser, link('/runs'));
      const rows = () => page.$$eval('tbody th', (all) => all.map(({ textContent }) => textContent));
      // Newest first; two of one second as their names sort.
      expect(await rows()).toHaveLength(runs.length);
      expect(await page.$$eval('tbody th a', (all) => all.map((each) => each.getAttribute('href')))).toEqual(
        runs
          .toSorted()
          .toReversed()
          .map((run) => `/runs/${run}`),
      );
      await page.type('[name=words]', 'deepwordbug nothing-such');
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
      expect(await rows()).toEqual([]);
      await page.goBack();
      for (const box of await page.$$('input[name=run]')) await box.click();
      await Promise.all([page.waitForNavigation(), page.click('main form:last-of-type button:not([type])')]);
      expect(await page.$eval('h1', (found) => found.textContent)).toMatch(/ compared$/);
      await page.goto(link(`/runs/${runs[0]}`));
      expect(await shown(page, '#list ins')).not.toBe('');
      expect(await page.$eval('.places', (found) => found.textContent)).toBe('PlaygroundRunsNew runGateReview');
      await page.goto(link('/gate'));
      expect(await page.$$eval('tbody tr', ([first]) => first?.textContent)).toMatch(
        /failed: not measured: typos\.attackSuccessRate/,
      );
      expect(complaints).toEqual([]);
      await page.close();
    });

    test('the first page is the report of the latest run', async () => {
      const { page } = await visit(browser, server.url);
      expect(new URL(page.url()).pathname).toBe(`/runs/${runs.toSorted().at(-1)}`);
      await page.close();
    });

    test('a run is chosen, followed and read; attacks are found by what they do', async () => {
      const { page, complaints } = await visit(browser, link('/new'));
      await page.select('[name=model]', toy);
      await page.select('[name=data]', 'dev.tsv');
      await page.click('input[value=typos]');
      await page.type('.picker input[type=search]', 'typos deepwordbug');
      const found = () =>
        page.$$eval('.picker label:not(.search)', (all) =>
          all.filter((each) => each.checkVisibility()).map((each) => each.textContent ?? ''),
        );
      expect(await found()).toEqual([expect.stringContaining('deepwordbug')]);
      await page.click('input[value=deepwordbug]');
      await Promise.all([page.waitForNavigation(), page.click('.main')]);
      await page.waitForSelector('#provenance');
      expect(await page.$eval('h1', (each) => each.textContent)).toContain('toy-classifier');
      expect(await page.$$eval('#attacks .bars .name', (all) => all.map((each) => each.textContent))).toEqual([
        'deepwordbug',
      ]);
      expect(complaints).toEqual([]);
      await page.close();
    });

    test('a run that is under way is stopped, and kept', async () => {
      const slow = await ui({ model: [slowModel], data: ['dev.tsv'], port: 0 });
      const context = await browser.createBrowserContext();
      const page = await newPage(context);
      await page.goto(slow.url);
      await page.goto(new URL('/new?attack=deepwordbug', slow.url).href);
      await page.select('[name=data]', 'dev.tsv');
      await Promise.all([page.waitForNavigation(), page.click('.main')]);
      await page.waitForFunction(
        "/examples classified|searches/.test(document.querySelector('#progress-words').textContent)",
      );
      await Promise.all([page.waitForNavigation(), page.click('#stop')]);
      await page.waitForFunction("document.querySelector('#progress-words').textContent.startsWith('Stopped')");
      await context.close();
      await slow.close();
    });

    const views = () =>
      ({
        playground: playground({ do: 'attack' }),
        words: playground({ method: 'lime', do: 'explain' }),
        runs: '/runs',
        new: '/new',
        running: '/running',
        run: `/runs/${runs[0]}`,
        gate: '/gate',
        compare: `/compare?run=${runs[0]}&run=${runs[1]}`,
        error: '/runs/none',
      }) as const;
    const READY: Readonly<Record<string, string>> = {
      playground: '#attacks .answer',
      words: '#explanation .word-bars',
    };

    test.each(Object.keys(views()) as (keyof ReturnType<typeof views>)[])(
      '%s: axe finds nothing in light and dark, and nothing is cut on a desktop or a phone',
      async (view) => {
        const { page } = await visit(browser, link(views()[view]));
        if (READY[view]) await page.waitForSelector(READY[view]);
        for (const [width, scheme] of [
          [1280, 'light'],
          [390, 'dark'],
        ] as const) {
          await page.setViewport({ width, height: 900 });
          await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
          expect({ width, faults: await faultsOf(page) }).toEqual({ width, faults: [] });
        }
        await page.close();
      },
    );

    test('who lacks the token sees nothing', async () => {
      const stranger = await browser.createBrowserContext();
      const page = await newPage(stranger);
      const response = await page.goto(link('/runs'));
      expect(response?.status()).toBe(403);
      expect(await page.$('table')).toBeNull();
      await stranger.close();
    });
  },
);

test('it ends with its signal, and with it what is under way', async () => {
  const stop = new AbortController();
  const other = await ui({ model: [toy], port: 0, signal: stop.signal });
  stop.abort();
  await other.stopped;
  await expect(fetch(other.url)).rejects.toThrow('fetch failed');
});
