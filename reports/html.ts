/** @file The report as one HTML file for people: figures with their intervals, and every text, to be filtered and searched. */
import {
  type ComparisonReport,
  degenerateLine,
  type Outcome,
  type OutcomeExplanation,
  type Report,
  type ReportRenderer,
} from '../src/index.js';
import { DEFENCE_ABOUT, defenceColumns } from './defence.js';
import { attackTable, byClass, qualityTable, rules } from './html/attack-table.js';
import { capabilities } from './html/capabilities.js';
import { changes } from './html/changes.js';
import { evidence } from './html/evidence.js';
import { flipFold } from './html/flips.js';
import { badge, gateTable } from './html/gate.js';
import { headline, successBars } from './html/headline.js';
import { lineChart } from './html/line-chart.js';
import { type Content, html as markup } from './html/markup.js';
import { outcomeList } from './html/outcome-list.js';
import { page, section, table } from './html/page.js';
import { provenance } from './html/provenance.js';
import { unattacked } from './html/unattacked.js';
import { colouredText, heaviest } from './html/word-weights.js';
import { excerpt, wordDiff } from './word-diff.js';

/** Characters of unchanged text shown on each side of a change. */
const CONTEXT = 200;

export const html: ReportRenderer = {
  name: 'html',
  extension: 'html',
  async *render(report) {
    const { model, data, attacks, seed } = report;
    const flips = flipFold(model.labels);
    const list = outcomeList(
      model.labels,
      attacks.map(({ name }) => name),
    );
    for await (const outcome of report.examples) {
      flips.add(outcome);
      list.add(outcome);
    }
    const turned = flips.markup();
    const classes = byClass(report);
    yield* page({
      title: `Robustness of ${model.name}`,
      lead: markup`${report.verdict !== 'none' && badge(report.verdict)}${report.clean.accuracy.n} examples of ${data.name}, ${attacks.length === 1 ? 'one attack' : `${attacks.length} attacks`}, seed ${seed}`,
      scripts: ['report.js'],
      ...(report.explanations && { styles: ['explanation.css'] }),
      body: (function* (): Iterable<Content> {
        yield section('summary', 'Summary', degenerate(report), headline(report), warnings(report));
        if (report.gate !== undefined) yield section('gate', 'Gate', gateTable(report.gate));
        if (attacks.length > 0) {
          yield section(
            'attacks',
            'How often each attack turns a right prediction',
            successBars(report),
            markup`<p class="note">Bars end at the rate; whiskers span its Wilson 95&nbsp;% interval. ${attacks.length > 1 && 'Any of them: a text counts as broken when at least one attack broke it.'}</p>`,
            markup`<h3>All figures</h3>`,
            attackTable(report),
            markup`<p class="note">Skipped: the model was already wrong. Beside each rate its 95&nbsp;% interval in percent. Queries are means over the texts attacked: all that were asked, and beside them the distinct ones.</p>`,
            qualityTable(attacks),
            markup`<h3>What each attack was allowed to do</h3>`,
            rules(attacks),
          );
        }
        if (turned !== undefined || classes !== false) {
          yield section(
            'classes',
            'Which classes turn',
            classes,
            turned !== undefined &&
              markup`<h3>Into what</h3><p class="note">Texts turned from a class (row) to another (column), all attacks together.</p>${turned}`,
          );
        }
        for (const attack of attacks) {
          const probed = capabilities(attack, model.labels);
          if (probed !== false) {
            yield section(
              `capabilities-${attacks.indexOf(attack)}`,
              `What the model fails to understand: ${attack.name}`,
              probed,
            );
          }
        }
        if (report.undefended !== undefined)
          yield section('defence', 'What the defence is worth', worth(report.undefended));
        const swept = sweeps(report);
        if (swept.length > 0) {
          yield section(
            'sweep',
            'Accuracy against the size of the perturbation',
            markup`<p class="note">Sizes in mean embedding norms. Beside each attack random noise of the same size; bands are 95&nbsp;% intervals.</p>`,
            markup`<div class="charts">${swept}</div>`,
          );
        }
        if (report.telling.length > 0) {
          yield section(
            'telling',
            'Most telling adversarial texts',
            markup`<ol class="texts">${report.telling.map((outcome) => telling(outcome, report))}</ol>`,
          );
        }
        yield section('texts', 'All texts', list.markup());
        yield section('clean', 'Without attack', unattacked(report.clean, model.labels));
        if (attacks.length > 0) yield section('evidence', 'Evidence toward', evidence(attacks));
        yield section('provenance', 'Provenance', provenance(report));
      })(),
    });
  },
};

const degenerate = ({ clean, model }: Report): Content => {
  const line = degenerateLine(model.name, clean);
  return line !== undefined && markup`<p class="warnings warn"><strong>${line}</strong></p>`;
};

const warnings = ({ warnings: list }: Report): Content =>
  list.length > 0 && markup`<ul class="warnings warn">${list.map((warning) => markup`<li>${warning}</li>`)}</ul>`;

/** The same attacks with and without the defence. */
function worth(undefended: ComparisonReport): Content {
  const [titles = [], ...columns] = defenceColumns(undefended);
  return markup`${table(
    'With and without the defence',
    [titles, ...columns].map(([title = ''], i) => ({ title, align: i === 0 ? 'left' : 'right' })),
    titles.slice(1).map((title, i) => [title, ...columns.map((column) => column[i + 1])]),
  )}<p class="note">${DEFENCE_ABOUT}</p>`;
}

/** A chart for each attack that was tried at several sizes. */
const sweeps = ({ attacks }: Report): Content[] =>
  attacks.flatMap(({ name, sweep }) => {
    if (sweep === undefined) return [];
    const points = (of: 'Attack' | 'Noise') =>
      sweep.flatMap((point) => {
        const { value, low, high } = point[`accuracyUnder${of}`];
        return value === null || low === null || high === null ? [] : [{ x: point.size, y: value, low, high }];
      });
    return [
      lineChart(
        {
          title: name,
          lines: [
            { name: 'noise', tone: 'plain', points: points('Noise') },
            { name: 'attack', tone: 'hit', points: points('Attack') },
          ],
        },
        {
          kind: 'chart',
          panels: [],
          x: { label: 'size', spacing: 'even' },
          y: { label: 'accuracy', min: 0, max: 1, format: (share) => `${Math.round(share * 1000) / 10} %` },
        },
      ),
    ];
  });

function telling(outcome: Outcome, { model: { labels }, explanations = [] }: Report): Content {
  const label = (index: number): string => labels[index] ?? String(index);
  const { adversarial } = outcome;
  if (adversarial === undefined) return false;
  const why = explanations.find(({ id, attack }) => id === outcome.id && attack === outcome.attack);
  return markup`<li><p class="about"><b>${outcome.attack}</b><span>${outcome.id}</span><span>${label(outcome.from)} → ${label(outcome.to)}</span><span>probability of ${label(outcome.label)} ${outcome.scoreBefore.toFixed(2)} → ${outcome.scoreAfter.toFixed(2)}</span><span>${outcome.queries.asked} queries</span></p>
<p class="text" dir="auto">${changes(excerpt(wordDiff(outcome.text, adversarial), CONTEXT))}</p>
${why && weighedTexts(why)}</li>
`;
}

/** The words of both texts on blue where they speak for the true label, on red where against it; shades of both mean the same. */
function weighedTexts({ before, after }: OutcomeExplanation): Content {
  const both = [before, after].flatMap(({ text, methods: [one] }) => (one ? [{ text, one }] : []));
  const most = Math.max(...both.map(({ one }) => heaviest(one.words)));
  return markup`<details class="weighed-text" open><summary>Which words counted for ${before.label}, before and after</summary>
${both.map(({ text, one }) => colouredText(text, one, undefined, most))}</details>`;
}
