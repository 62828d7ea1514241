/** Pages in a real browser, where there is one. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import puppeteer, { type Browser, type BrowserContext, type Page } from 'puppeteer-core';
import { lasting } from '../calibration.js';

const CANDIDATES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser to run, or undefined: tests are then skipped (Debian: apt-get install chromium). */
export const chromium: string | undefined = CANDIDATES.find((path) => existsSync(path));

export const launch = (): Promise<Browser> =>
  puppeteer.launch({
    executablePath: chromium as string,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    timeout: lasting(30_000),
    protocolTimeout: lasting(180_000),
  });

/** A page whose waits are as patient as the machine is slow. */
export async function newPage(browser: Browser | BrowserContext): Promise<Page> {
  const page = await browser.newPage();
  page.setDefaultTimeout(lasting(30_000));
  return page;
}

export interface Opened {
  readonly page: Page;
  /** Errors on the page's console. */
  readonly complaints: string[];
  /** Requests for other files. */
  readonly requests: string[];
}

/** The document as a page of its own, from a file, as a user opens it. */
export async function open(browser: Browser, document: string, width = 1280): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'robust-page-'));
  const file = join(folder, 'report.html');
  writeFileSync(file, document);
  const url = pathToFileURL(file).href;
  const page = await newPage(browser);
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.setViewport({ width, height: 900 });
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    if (request.url() === url || request.url().startsWith('data:,')) void request.continue();
    else {
      requests.push(request.url());
      void request.abort();
    }
  });
  await page.goto(url);
  page.once('close', () => rmSync(folder, { recursive: true, force: true }));
  return { page, complaints, requests };
}

/** A page of a server, with its console errors and its requests to others. */
export async function visit(browser: Browser, address: string, size = { width: 1280, height: 900 }) {
  const page = await newPage(browser);
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'data:' && url.host !== new URL(address).host) complaints.push(`asked ${url.href}`);
  });
  await page.setViewport(size);
  await page.goto(address);
  return { page, complaints };
}
