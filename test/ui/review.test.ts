/** The pages of a blind review, walked by keys in a real browser, over a session in memory. */
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LocalServer } from '../../src/ui/local-server.js';
import { listenUi } from '../../src/ui/server.js';
import type { ReviewItem, ReviewSession, UiSource } from '../../src/ui/source.js';
import { chromium, launch, newPage, visit } from '../reports/chromium.js';
import { faultsOf } from '../reports/page-faults.js';

const TEXTS: readonly ReviewItem[] = [
  { id: 'bcd', texts: ['An <b>enjoyable</b> film.\nTwice.'] },
  { id: 'fgh', texts: ['فيلم ممتع'] },
  { id: 'jkl', texts: ['First of a pair', '第二篇'] },
];

class MemorySession implements ReviewSession {
  readonly reader = 'reader-1';
  readonly question: ReviewSession['question'];
  readonly answers: { id: string; answer: unknown; note: string; seconds: number }[] = [];

  constructor(kind: ReviewSession['question']['kind']) {
    const options = [{ name: 'negative' }, { name: 'positive', help: 'says that the film is good' }, { name: 'mixed' }];
    this.question = { kind, prompt: 'What does the writer think of the film?', options };
  }

  get progress() {
    return { answered: this.answers.length, total: TEXTS.length };
  }

  next() {
    return TEXTS[this.answers.length];
  }

  answer(id: string, answer: number | readonly number[] | null, { note, seconds }: { note: string; seconds: number }) {
    this.answers.push({ id, answer, note, seconds });
  }

  undo() {
    this.answers.pop();
  }
}

describe.skipIf(chromium === undefined)(
  `in Chromium${chromium === undefined ? ': not installed, skipped' : ''}`,
  () => {
    let browser: Browser;
    let server: LocalServer;
    let session: MemorySession;
    const defects: unknown[] = [];
    beforeAll(async () => {
      browser = await launch();
      const source: Partial<UiSource> = { review: async () => session };
      server = await listenUi({ port: 0, source: source as UiSource, onDefect: (error) => defects.push(error) });
      const page = await newPage(browser);
      await page.goto(server.url.replace('/?', '/review?run=one&'));
      await page.close();
    });
    beforeEach(() => {
      defects.length = 0;
      session = new MemorySession('label');
    });
    afterAll(async () => {
      await browser?.close();
      await server?.close();
    });

    const open = (path: string) => visit(browser, new URL(path, server.url).href);

    test('a reader goes through a whole review by keys', async () => {
      const { page, complaints } = await open('/review?run=one');
      const press = async (key: Parameters<typeof page.keyboard.press>[0]) => {
        await Promise.all([page.waitForNavigation(), page.keyboard.press(key)]);
      };
      await page.focus('input[name=reader]');
      await press('Enter');
      expect(await page.$eval('h1', (title) => title.textContent)).toBe('Text 1 of 3');
      expect(await page.$eval('.reading', (text) => text.textContent)).toBe('An <b>enjoyable</b> film.\nTwice.');
      await press('2');
      expect(await page.evaluate(`getComputedStyle(document.querySelector('.reading')).direction`)).toBe('rtl');
      await press('0');
      await press('u');
      expect(await page.$eval('h1', (title) => title.textContent)).toBe('Text 2 of 3');
      await page.keyboard.press('n');
      await page.keyboard.type('odd 1');
      await page.keyboard.press('Escape');
      await press('3');
      expect(await page.$$eval('.reading', (texts) => texts.map((text) => text.textContent))).toEqual([
        'First of a pair',
        '第二篇',
      ]);
      await press('1');
      expect(await page.$eval('h1', (title) => title.textContent)).toBe('All texts are read');
      expect(session.answers.map(({ id, answer, note }) => [id, answer, note])).toEqual([
        ['bcd', 1, ''],
        ['fgh', 2, 'odd 1'],
        ['jkl', 0, ''],
      ]);
      expect(session.answers.every(({ seconds }) => seconds >= 0 && seconds < 600)).toBe(true);
      await press('q');
      expect(new URL(page.url()).searchParams.get('run')).toBe('one');
      expect([...complaints, ...defects]).toEqual([]);
      await page.close();
    });

    test('a text is shown as any page would show it: invisible characters stay invisible', async () => {
      session.next = () => ({ id: 'bcd', texts: ['go\u200Bod \u202Elluf\u202C & <i>'] });
      const { page } = await open('/review?run=one&reader=reader-1');
      expect(await page.$eval('.reading', (text) => text.innerHTML)).toBe(
        'go\u200Bod \u202Elluf\u202C &amp; &lt;i&gt;',
      );
      await page.close();
    });

    test('several labels are boxes; none may fit', async () => {
      session = new MemorySession('labels');
      const { page } = await open('/review?run=one&reader=reader-1');
      await page.keyboard.press('3');
      await page.keyboard.press('1');
      await Promise.all([page.waitForNavigation(), page.click('button.main')]);
      await Promise.all([page.waitForNavigation(), page.click('button.main')]);
      expect(session.answers.map(({ answer }) => answer)).toEqual([[0, 2], []]);
      await page.close();
    });

    test('pages are readable at three widths, without a fault', async () => {
      for (const width of [390, 768, 1280]) {
        for (const path of ['/review?run=one', '/review?run=one&reader=reader-1']) {
          const { page } = await open(path);
          await page.setViewport({ width, height: 900 });
          expect(await faultsOf(page)).toEqual([]);
          await page.close();
        }
      }
    });

    test('pages of two items differ in the text and the id alone', async () => {
      const pages: string[] = [];
      for (const text of ['tea', 'sea']) {
        session.next = () => ({ id: text, texts: [text] });
        const { page } = await open('/review?run=one&reader=reader-1');
        const html = await page.content();
        pages.push(
          html
            .replaceAll(`>${text}<`, '>TEXT<')
            .replaceAll(`"${text}"`, '"ID"')
            .replace(/name="shown" value="\d+"/, ''),
        );
        await page.close();
      }
      expect(pages[0]).toBe(pages[1]);
    });
  },
);
