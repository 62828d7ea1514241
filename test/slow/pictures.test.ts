/**
 * Every kind of page in a real browser, at three widths and in two themes: axe finds nothing, nothing is cut, and nothing is loaded from elsewhere.
 * `npm run screenshots` runs it; the pictures are in `screenshots/`, those of the documents in `screenshots/docs/`. The runs stay in
 * `screenshots/work/` for the next time; delete the folder to make them again. The site is included once it is built.
 */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningUi, ui } from '../../src/app/ui.js';
import { packageRoot } from '../../src/core/package-root.js';
import { robust } from '../commands/cli.js';
import { documents } from '../documents.js';
import { chromium, launch, visit } from '../reports/chromium.js';
import { faultsOf } from '../reports/page-faults.js';
import { serveFolder } from './static-server.js';

const SHOTS = join(packageRoot, 'screenshots');
const WORK = join(SHOTS, 'work');
const SITE = join(packageRoot, 'site', '.vitepress', 'dist');
const WIDTHS = [1280, 768, 390];
const SCHEMES = ['light', 'dark'];
/** Pictures of the documents: their page, at this size. */
const DOCS = { size: { width: 1100, height: 760 }, pages: ['report', 'compare', 'explain', 'ui-playground'] };

const TEXT = 'Still steaming when it reached the fourth floor, and the rider wished us good night.';
const DOUBLE = 'There is nothing I do not like about this movie.';
const CONFIG = 'require:\n  - clean.accuracy >= 0.8\n  - typos.attackSuccessRate <= 0.5\n';

/** Runs once, whose reports are written again each time. */
const RUNS: Readonly<Record<string, readonly string[]>> = {
  report: ['attack', '--model', 'distilbert', '--suite', 'typos', '--explain'],
  rival: ['attack', '--model', 'bert-mini', '--suite', 'typos'],
  guardrail: ['attack', '--model', 'bert-mini', '--suite', 'guardrail', '--positive', 'negative', '-n', '30'],
  curves: ['attack', '--model', 'bert-mini', '--attack', 'fgsm', '--attack', 'pgd', '-n', '30'],
};

/** Page -> command that writes it. */
const files = (run: (name: string) => string): Readonly<Record<string, readonly string[]>> => ({
  report: ['report', run('report')],
  guardrail: ['report', run('guardrail')],
  compare: ['compare', run('report'), run('rival')],
  gate: ['gate', run('report')],
  curves: ['report', run('curves')],
  explain: ['explain', DOUBLE, '-m', 'bert-mini', '--method', 'shap', '--method', 'attention'],
});

const playground = new URLSearchParams({ text: TEXT, model: 'distilbert', attack: 'textbugger', do: 'attack' });

/** Page of `robust ui` -> its address, and what it waits for. */
const uiPages = (run: (name: string) => string): Readonly<Record<string, readonly [path: string, ready?: string]>> => ({
  'ui-home': ['/'],
  'ui-playground': [`/?${playground}`, '#attacks .answer'],
  'ui-new': ['/new'],
  'ui-runs': ['/runs'],
  'ui-run': [`/runs/${run('report')}`],
  'ui-compare': [`/compare?run=${run('report')}&run=${run('rival')}`],
  'ui-gate': ['/gate'],
  'ui-error': ['/runs/none'],
});

const SITE_PAGES = { home: '/', guide: '/quick-start', gallery: '/gallery', reference: '/reference/commands' };

describe.skipIf(chromium === undefined)(
  `in Chromium${chromium === undefined ? ': not installed, skipped' : ''}`,
  () => {
    let browser: Browser;
    let server: RunningUi;
    let site: Server | undefined;
    const addresses: Record<string, readonly [address: string, ready?: string]> = {};
    const before = process.cwd();

    beforeAll(async () => {
      for (const folder of [WORK, join(SHOTS, 'docs')]) mkdirSync(folder, { recursive: true });
      writeFileSync(join(WORK, 'robust.config.yaml'), CONFIG);
      const runs = await runsOnce();
      const run = (name: string): string => runs[name] as string;
      for (const [name, args] of Object.entries(files(run))) {
        const { code, stderr } = await robust([...args, '-q', '-o', `${name}.html`], { cwd: WORK });
        expect([0, 1, 4], `${name}: ${stderr}`).toContain(code);
        addresses[name] = [pathToFileURL(join(WORK, `${name}.html`)).href];
      }
      browser = await launch();
      process.chdir(WORK);
      const require = CONFIG.match(/(?<=- ).*/g) ?? [];
      server = await ui({ model: ['distilbert', 'bert-mini'], port: 0, require });
      const opened = await browser.newPage();
      await opened.goto(server.url);
      await opened.close();
      for (const [name, [path, ready]] of Object.entries(uiPages(run))) {
        addresses[name] = [new URL(path, server.url).href, ...(ready ? [ready] : [])] as const as [string, string?];
      }
      if (existsSync(SITE)) {
        site = createServer(serveFolder(SITE));
        await new Promise<void>((resolve) => site?.listen(0, '127.0.0.1', resolve));
        const { port } = site.address() as AddressInfo;
        for (const [name, path] of Object.entries(SITE_PAGES))
          addresses[`site-${name}`] = [`http://127.0.0.1:${port}${path}`];
      }
    }, 1_800_000);
    afterAll(async () => {
      await browser?.close();
      await server?.close();
      site?.close();
      process.chdir(before);
    });

    /** Ids of the runs by name, each made once. */
    async function runsOnce(): Promise<Record<string, string>> {
      const folder = join(WORK, '.robust', 'runs');
      const ids = (): string[] =>
        existsSync(folder) ? readdirSync(folder).filter((name) => /^\d{8}T/.test(name)) : [];
      const found: Record<string, string> = {};
      const kept = ids().sort();
      for (const [at, [name, args]] of Object.entries(RUNS).entries()) {
        if (kept[at] === undefined) expect(await robust(args, { cwd: WORK })).toMatchObject({ code: 0 });
        found[name] = ids().sort()[at] as string;
      }
      return found;
    }

    async function look(page: Page, name: string): Promise<void> {
      const faults: string[] = [];
      for (const width of WIDTHS) {
        await page.setViewport({ width, height: 900 });
        for (const scheme of SCHEMES) {
          await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
          faults.push(...(await faultsOf(page)).map((fault) => `${width} ${scheme}: ${fault}`));
          const path = join(SHOTS, `${name}-${width}-${scheme}.png`) as `${string}.png`;
          await page.screenshot({ path, fullPage: true });
        }
      }
      expect(faults).toEqual([]);
    }

    const names = [
      ...Object.keys(files(String)),
      ...Object.keys(uiPages(String)),
      ...Object.keys(SITE_PAGES).map((name) => `site-${name}`),
    ];
    test.each(names.filter((name) => !name.startsWith('site-') || existsSync(SITE)))(
      '%s',
      async (name) => {
        const [address, ready] = addresses[name] as readonly [string, string?];
        const { page, complaints } = await visit(browser, address);
        if (ready) await page.waitForSelector(ready, { timeout: 60_000 });
        await look(page, name);
        if (DOCS.pages.includes(name)) {
          await page.setViewport(DOCS.size);
          for (const scheme of SCHEMES) {
            await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
            const path = join(SHOTS, 'docs', `${name.replace('ui-', '')}-${scheme}.webp`) as `${string}.webp`;
            await page.screenshot({ path, type: 'webp', quality: 80 });
          }
        }
        expect(complaints.filter((each) => !/status of 404/.test(each))).toEqual([]);
        await page.close();
      },
      300_000,
    );

    test.skipIf(!existsSync(SITE))(
      'no document is longer than 6,000 px on the site',
      async () => {
        const page = await browser.newPage();
        await page.setViewport({ width: 1280, height: 900 });
        const { origin } = new URL(addresses['site-home']?.[0] as string);
        const long: string[] = [];
        for (const file of documents) {
          const path = file.slice('docs'.length, -'.md'.length);
          await page.goto(origin + path);
          const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
          if (height > 6_000) long.push(`${path}: ${height} px`);
        }
        await page.close();
        expect(long).toEqual([]);
      },
      300_000,
    );
  },
);
