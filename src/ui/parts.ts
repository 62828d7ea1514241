/** @file Markup that the page's script inserts: answers, steps and end of an attack, explanations. */
import { percent } from '../../reports/figures.js';
import { changes } from '../../reports/html/changes.js';
import { scoreBar } from '../../reports/html/charts.js';
import { html, type Markup, visibleHtml } from '../../reports/html/markup.js';
import { explanationDocument } from '../../reports/index.js';
import { sectionsAsHtml } from '../../reports/print/html.js';
import { excerpt, wordDiff } from '../../reports/word-diff.js';
import type { DecisionRule } from '../core/decision.js';
import { quantity } from '../core/figure-text.js';
import type { Outcome } from '../core/outcome.js';
import { outcomeScores, scoreTexts } from '../core/score-text.js';
import type { ExplanationReport } from '../results/report/explanation.js';
import type { AttackEnd, AttackStep, PlaygroundAnswer } from './source.js';

/** Characters of unchanged text shown on each side of a change. */
const CONTEXT = 300;
/** Labels of a model with many: the most probable ones. */
const MOST_LABELS = 8;

/** Whether a label holds, for eyes and for ears. */
const box = (holds: boolean): Markup =>
  html`<span role="img" aria-label="${holds ? 'holds: ' : 'does not hold: '}">${holds ? '☑' : '☐'}</span> `;

/** A score, and where its label holds from the threshold beside it. */
function figure(score: number, boxes?: { readonly holds: boolean; readonly threshold: number | undefined }): string {
  if (boxes === undefined) return scoreTexts([score], { least: 3 }).scores[0] as string;
  const { scores, threshold } = scoreTexts([score], { threshold: boxes.threshold ?? 0.5, least: 3 });
  return `${scores[0]} ${boxes.holds ? '≥' : '<'} ${threshold}`;
}

/** Answers of several models to one text, side by side. */
export const answersPart = (answers: readonly PlaygroundAnswer[]): Markup =>
  html`<div class="beside">${answers.map(
    ({ model, said, scores, note, boxes }) =>
      html`<div class="card"><p class="answer"><b>${said}</b><span class="dim">${model}</span></p>${note !== undefined && html`<p class="note">${note}</p>`}<ul class="answers${boxes ? ' boxes' : ''}">${scores
        .toSorted((a, b) => b.score - a.score)
        .slice(0, MOST_LABELS)
        .map(
          ({ label, score, decided, threshold }) =>
            html`<li><span class="name">${boxes && box(decided)}${label}</span>${scoreBar(score, decided ? 'hold' : 'hit', threshold)}<span class="figure">${figure(score, boxes && { holds: decided, threshold })}</span></li>`,
        )}</ul>${scores.length > MOST_LABELS && html`<p class="note">and ${scores.length - MOST_LABELS} more labels</p>`}</div>`,
  )}</div>${answers.length > 1 && new Set(answers.map(({ said }) => said)).size > 1 && html`<p class="note warn">The models disagree.</p>`}`;

const showChanges = (before: string, after: string): Markup =>
  html`<p class="text" dir="auto">${changes(excerpt(wordDiff(before, after), CONTEXT))}</p>`;

/** `html`: the queried text, next to the original. */
export const attackStepPart = (text: string, { queries, confidence, said, closest, text: tried }: AttackStep) => ({
  queries,
  confidence,
  said,
  closest,
  html: showChanges(text, tried).text,
});

/** `html`: what became of it; `adversarial`: the text that fooled the model. */
export const attackEndPart = ({ outcome, labels, rule, words }: AttackEnd) => ({
  status: outcome.status,
  ...(outcome.adversarial !== undefined && { adversarial: outcome.adversarial }),
  html: html`<p class="answer"><b class="${untried(outcome) ? 'inconclusive' : TONES[outcome.status]}">${untried(outcome) ? 'Untried: inconclusive' : statusText(outcome, words)}</b><span class="dim">${about(outcome, labels, rule)}</span></p>${
    outcome.adversarial !== undefined && showChanges(outcome.text, outcome.adversarial)
  }${outcome.reason !== undefined && html`<p class="note">${visibleHtml(outcome.reason)}</p>`}`.text,
});

const TONES = { succeeded: 'failed', failed: 'dim', tied: 'dim', skipped: 'dim', errored: 'inconclusive' } as const;

const statusText = ({ status }: Outcome, words: AttackEnd['words']): string =>
  status === 'errored'
    ? 'The attack broke: inconclusive'
    : status === 'tied'
      ? 'The attack failed: the prediction is a tie'
      : words[status];

/** It could try nothing, or had to stop before its search ended, so the model resisted nothing. */
const untried = ({ status, reason }: Outcome): boolean => status === 'failed' && reason !== undefined;

function about(outcome: Outcome, labels: readonly string[], rule: DecisionRule | undefined): string {
  const { status, from, to, words, changed: edited, queries, fromLabels, toLabels, adversarial } = outcome;
  if (status === 'skipped' || status === 'errored') return quantity(queries.asked, 'query', 'queries');
  const named = (all: readonly number[]): string => all.map((at) => labels[at] ?? 'none').join(' + ') || 'none';
  const turned = `${named(fromLabels ?? [from])} → ${named(toLabels ?? [to])}`;
  const { before, after, threshold } = outcomeScores(outcome, { labels, rule, least: 3 });
  const facts = [
    ...(status === 'succeeded' ? [turned] : []),
    `${fromLabels === undefined ? 'score' : 'lowest true-label score'} ${before} → ${after}${threshold && `, threshold ${threshold}`}`,
    ...(adversarial === undefined
      ? []
      : [`${edited} of ${quantity(words, 'word')} changed (${percent(edited / Math.max(1, words))})`]),
    quantity(queries.asked, 'query', 'queries'),
  ];
  return facts.join(', ');
}

/** The words that counted; of the explanation's document what is about the text. */
export const explanationPart = (report: ExplanationReport): Markup =>
  sectionsAsHtml({ sections: explanationDocument(report).sections.filter(({ id }) => id.startsWith('text-')) });
