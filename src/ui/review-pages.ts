/** @file Pages of a blind review. A reader sees the text and the question, and learns nothing of its origin. */
import { type HtmlContent, html, type Markup, raw } from '../../reports/html/markup.js';
import { page } from '../../reports/html/page.js';
import { asDisplayed, fieldOf } from './pages.js';
import type { ReviewItem, ReviewSession } from './source.js';

/** Asks for the reader's name. */
export const reviewStartPage = (run: string): Iterable<string> =>
  reviewPage(run, 'Blind review', 'Read texts of a run without knowing which were attacked, and say what they are.', [
    html`<form method="post" action="/review/start">${fieldOf('run', run)}
<div class="filters"><label>Your name as a reader (letters, digits, hyphens)<input name="reader" required autofocus pattern="[a-z0-9][a-z0-9._\\-]{0,39}" maxlength="40" autocomplete="off" value="reader-1"></label></div>
<p class="actions"><button class="main">Start or go on</button></p></form>
<p class="note">Answers are stored on this machine, each as soon as it is given. You can stop at any time and go on later under the same name.</p>`,
  ]);

/** The next text of the reader, or the end. `shown`: when this page was made, in milliseconds. */
export function readingPage(run: string, session: ReviewSession, shown: number): Iterable<string> {
  const item = session.next();
  return item === undefined ? endPage(run, session) : itemPage(run, session, item, shown);
}

function itemPage(run: string, session: ReviewSession, item: ReviewItem, shown: number): Iterable<string> {
  const { question, progress } = session;
  const { kind, prompt, options } = question;
  const choices = options.map(({ name }, at) => {
    const content = html`<kbd>${at + 1}</kbd> ${name}`;
    const key = at < 9 && raw(` aria-keyshortcuts="${at + 1}"`);
    return kind === 'labels'
      ? html`<label><input type="checkbox" name="answer" value="${at}"${key}> ${content}</label>`
      : html`<button name="answer" value="${at}"${key}>${content}</button>`;
  });
  return reviewPage(run, `Text ${progress.answered + 1} of ${progress.total}`, undefined, [
    progressBar(progress),
    readingOf(item.texts),
    html`<form method="post" action="/review/answer">${hidden(run, session, item.id, shown)}
<h2 id="question">${prompt}</h2>
<div class="choices" role="group" aria-labelledby="question">${choices}
${kind === 'labels' && html`<button class="main" aria-keyshortcuts="Enter">Save these labels</button>`}
<button name="unclear" value="1" aria-keyshortcuts="0"><kbd>0</kbd> I can’t tell</button></div>
${NOTE}</form>`,
    progress.answered > 0 &&
      html`<form method="post" action="/review/undo" class="actions">${fieldOf('run', run)}${fieldOf('reader', session.reader)}<button aria-keyshortcuts="u"><kbd>U</kbd> Take the last answer back</button></form>`,
  ]);
}

function endPage(run: string, { progress, reader }: ReviewSession): Iterable<string> {
  return reviewPage(run, 'All texts are read', `${progress.answered} answers by ${reader} are stored.`, [
    html`<p><a href="/runs/${run}">Open the report with the figures of the review</a></p>
<p><a href="${addressOf({ run })}">Read as another person</a></p>`,
  ]);
}

const reviewPage = (run: string, title: string, lead: HtmlContent, body: HtmlContent[]): Iterable<string> =>
  page({
    title,
    body,
    scripts: ['review.js'],
    styles: ['ui.css'],
    lead,
    // Other pages would show what the run attacked.
    navigation: html`<nav class="places" aria-label="Pages"><a href="${addressOf({ run })}" aria-keyshortcuts="q">Stop reading</a></nav>`,
  });

const progressBar = ({ answered, total }: ReviewSession['progress']): Markup =>
  html`<p><progress max="${total}" value="${answered}" aria-label="texts read"></progress></p>`;

const readingOf = (texts: ReviewItem['texts']): Markup =>
  html`${texts.map((text, at) => html`${texts.length > 1 && html`<h3>${at === 0 ? 'Text A' : 'Text B'}</h3>`}<blockquote class="reading" dir="auto">${raw(asDisplayed(text))}</blockquote>`)}`;

const addressOf = (query: Readonly<Record<string, string>>): string => `/review?${new URLSearchParams(query)}`;

const hidden = (run: string, { reader }: ReviewSession, item: string, shown: number): Markup =>
  html`${fieldOf('run', run)}${fieldOf('reader', reader)}${fieldOf('item', item)}${fieldOf('shown', String(shown))}`;

const NOTE = html`<details><summary>Add a note</summary><label for="note">Note</label><textarea id="note" name="note" rows="2" maxlength="2000" aria-keyshortcuts="n" dir="auto"></textarea></details>`;
