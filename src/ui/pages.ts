/** @file The pages: each is a whole document with its state in its address, made of the parts that reports are made of. */
import { rateCell } from '../../reports/html/charts.js';
import { type HtmlContent, html, type Markup, raw } from '../../reports/html/markup.js';
import { type HtmlColumn, page, section, table } from '../../reports/html/page.js';
import { reportPage } from '../../reports/html.js';
import { comparisonDocument } from '../../reports/index.js';
import { asHtml } from '../../reports/print/html.js';
import { must, type RobustError } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import type { ComparisonReport } from '../results/comparison/comparison.js';
import type { Chart, ChartLine, Document, Inline } from '../results/report/document.js';
import { limitsIn, measuredValue, requiredText } from '../results/report/judged-text.js';
import type { Report } from '../results/report/report.js';
import { attackPicker } from './picker.js';
import type { JudgedRun, ListedRun, UiSource } from './source.js';

type Chunked = Iterable<string> | AsyncIterable<string>;

/** Runs of a list; those before are found by the filters. */
const MOST_RUNS = 100;

const PLACES = [
  ['/', 'Playground'],
  ['/runs', 'Runs'],
  ['/new', 'New run'],
  ['/gate', 'Gate'],
] as const;

const navigation = (here?: string, more?: Markup): Markup =>
  html`<nav class="places" aria-label="Pages">${PLACES.map(([path, name]) => html`<a href="${path}"${path === here && raw(' aria-current="page"')}>${name}</a>`)}${more}</nav>`;

export const shell = (
  here: string | undefined,
  title: string,
  lead: HtmlContent,
  body: HtmlContent[],
  scripts: string[] = [],
) => page({ title, lead, body, scripts, styles: ['explanation.css', 'ui.css'], navigation: navigation(here) });

export const errorPage = ({ message, hint }: RobustError): Chunked =>
  shell(undefined, 'That did not work', undefined, [
    html`<div role="alert"><p class="warnings warn"><strong>${message}</strong></p>${hint && html`<p>${hint}</p>`}</div>`,
  ]);

/** A field that the reader does not see. */
export const fieldOf = (name: string, value: string): Markup =>
  html`<input type="hidden" name="${name}" value="${value}">`;

export const options = (all: readonly string[], chosen: string | null): Markup[] =>
  all.map((each) => html`<option value="${each}"${each === chosen && raw(' selected')}>${each}</option>`);

const METHODS = [
  ['lime', 'LIME'],
  ['shap', 'SHAP'],
  ['attention', 'Attention'],
  ['integrated-gradients', 'Integrated gradients'],
] as const;

/** A sentence, models, an attack: what the address says of them is filled in, and the page's script asks. */
export function playgroundPage(
  { models, attacks }: Pick<UiSource, 'models' | 'attacks'>,
  query: URLSearchParams,
): Chunked {
  const [first = models[0] ?? null, second = null] = query.getAll('model');
  const methods = query.getAll('method');
  const isChosen = (method: string): boolean =>
    methods.length === 0 ? method === 'lime' || method === 'shap' : methods.includes(method);
  const attack = query.get('attack') ?? 'deepwordbug';
  const form = html`<form id="playground" class="playground" action="/" autocomplete="off">
<div id="first-field"${query.get('first') === null && raw(' hidden')}><label for="first-text" id="first-name">First text</label>
<textarea id="first-text" name="first" rows="2" maxlength="20000" dir="auto">${raw(textareaOf(query.get('first') ?? ''))}</textarea></div>
<label for="text" id="text-name">Text</label>
<textarea id="text" name="text" rows="3" maxlength="20000" dir="auto" placeholder="For example: There is nothing I do not like about this movie.">${raw(textareaOf(query.get('text') ?? ''))}</textarea>
<div class="filters">
<label>Model<select name="model" id="first">${options(models, first)}</select></label>
<label>Compare with<select name="model" id="second"><option value="">none</option>${options(models, second)}</select></label>
<label id="goal-field" hidden>Goal<select name="goal" id="goal" data-chosen="${query.get('goal') ?? ''}"></select></label>
<label id="truth-field" hidden>True label<select name="truth" id="truth" data-chosen="${query.get('truth') ?? ''}"></select></label>
</div>
<p class="note" id="decision" role="status"></p>
${attackPicker(attacks, attack)}
<fieldset><legend>Explain with</legend>${METHODS.map(([name, title]) => html`<label><input type="checkbox" name="method" value="${name}"${isChosen(name) && raw(' checked')}> ${title}</label>`)}</fieldset>
<div class="actions"><button type="button" id="run-attack" class="main" aria-keyshortcuts="Control+Enter">Attack</button><button type="button" id="run-explain" aria-keyshortcuts="Control+Shift+Enter">Which words?</button><button type="button" id="stop" aria-keyshortcuts="Escape" disabled>Stop</button><span class="note keys"><kbd>Ctrl</kbd> <kbd>Enter</kbd> attacks, with <kbd>Shift</kbd> weighs the words, <kbd>Esc</kbd> stops</span></div>
</form>
<noscript><p class="warnings warn">This page needs its own script; it loads nothing from elsewhere.</p></noscript>
`;
  return shell(
    '/',
    'Playground',
    'Type a sentence, read the prediction, attack it, and see which words it rests on. Nothing leaves this machine.',
    [
      form,
      section('said', 'Decision', html`<div id="answers" aria-live="polite"><p class="note">Type a text.</p></div>`),
      html`<div id="attacked" hidden>${section('attack-panel', 'Attack', html`<div id="attacks" class="beside"></div>`)}</div>`,
      html`<div id="explained" hidden>${section('words', 'Which words counted', html`<div id="explanation" aria-live="polite"></div>`)}</div>`,
    ],
    ['attention.js', 'picker.js', 'playground.js'],
  );
}

/** A textarea swallows an initial line break and shows its text literally, without escapes. */
const textareaOf = (text: string): string => `\n${asDisplayed(text)}`;

/** The text as a browser displays it: invisible characters stay invisible. */
export const asDisplayed = (text: string): string => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Filters are words that must all stand somewhere in the row, and a state. */
export async function runsPage(
  all: readonly ListedRun[],
  ratesOf: UiSource['rates'],
  query: URLSearchParams,
): Promise<Chunked> {
  const [words, status] = [query.get('words')?.trim() ?? '', query.get('status') ?? ''];
  const sought = words.toLowerCase().split(/\s+/);
  const found = all.filter((run) => {
    const row = [run.id, run.model, run.data, ...run.attacks].join(' ').toLowerCase();
    return sought.every((word) => row.includes(word)) && (status === '' || run.status === status);
  });
  const shown = found.slice(0, MOST_RUNS);
  const form = html`<form class="filters" action="/runs">
<label class="wide">Search models, data, attacks and ids<input type="search" name="words" value="${words}"></label>
<label>State<select name="status"><option value="">any</option>${options(['done', 'interrupted', 'running'], status)}</select></label>
<button>Filter</button>
</form>`;
  const rows = await Promise.all(shown.map((run) => runRow(run, ratesOf)));
  const count = html`<p class="note" role="status">${found.length} of ${quantity(all.length, 'run')}${found.length > MOST_RUNS && `; the newest ${MOST_RUNS} are listed`}. Select two to compare them.</p>`;
  const list = html`<form action="/compare">${table('Runs', RUN_COLUMNS, rows)}<button>Compare two</button></form>`;
  const none = html`<p>No runs yet. <a href="/new">Start one</a>, or type <code>robust attack --model distilbert --suite typos</code> in a terminal.</p>`;
  return shell(
    '/runs',
    'Runs',
    'The runs of this folder, newest first, with 95 % intervals.',
    all.length === 0 ? [none] : [form, count, list],
    ['download.js'],
  );
}

const RUN_COLUMNS: readonly HtmlColumn[] = [
  { title: 'Run (UTC)' },
  { title: 'Model', align: 'left' },
  { title: 'Result', align: 'left' },
  { title: 'Data', align: 'left' },
  { title: 'Accuracy under any attack', detail: true },
  { title: 'Compare', align: 'left' },
  { title: 'Accuracy', detail: true },
  { title: 'Examples', detail: true },
  { title: 'State', align: 'left', detail: true },
  { title: 'Id', align: 'left', detail: true },
  { title: 'Attacks', align: 'left', detail: true },
];

/** `2026-11-23 18:05`, from the beginning of a run's id. */
const timeOf = (id: string): string => id.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d).*/, '$1-$2-$3 $4:$5');

async function runRow(run: ListedRun, ratesOf: UiSource['rates']): Promise<HtmlContent[]> {
  const { id, model, data, attacks, examples, status } = run;
  const rates = status === 'done' && run.fault === undefined ? await ratesOf(id) : undefined;
  const known = rates !== undefined && 'clean' in rates ? rates : undefined;
  const fault = run.fault ?? (rates !== undefined && 'fault' in rates ? rates.fault : undefined);
  const readable = fault === undefined && status === 'done';
  return [
    readable ? html`<a href="/runs/${id}">${timeOf(id)}</a>` : timeOf(id),
    model,
    html`<span class="wrap">${readable ? known?.headline : html`<span class="warn">${fault ?? status}</span>`}</span>`,
    data,
    known && rateCell(known.underAttack),
    html`<input type="checkbox" name="run" value="${id}" aria-label="compare ${id}"${!readable && raw(' disabled')}>`,
    known && rateCell(known.clean),
    examples ?? '',
    status,
    id,
    html`<span class="wrap">${attacks.join(', ')}</span>`,
  ];
}

/** The report, as `-o report.html` has it. */
export const runPage = (run: string, report: Report): Chunked =>
  reportPage(
    report,
    navigation(undefined, html`<a href="/review?${new URLSearchParams({ run }).toString()}">Review</a>`),
  );

export const comparePage = (report: ComparisonReport): Chunked =>
  asHtml(comparisonDocument(report), undefined, navigation());

/** How the runs of this folder would be judged today. */
export function gatePage(runs: readonly JudgedRun[] | undefined): Chunked {
  return asHtml(runs === undefined ? NO_LIMITS : gateHistory(runs), undefined, navigation('/gate'));
}

const NO_LIMITS: Document = {
  title: 'Gate',
  lead: 'The configuration of this folder has no requirements.',
  sections: [
    {
      id: 'gate',
      blocks: [
        { kind: 'prose', text: 'Derive requirements from the latest run:' },
        { kind: 'command', line: 'robust init --from latest' },
      ],
    },
  ],
};

/** Each limit that is required of a metric, as a level line. */
function requirementLines(runs: readonly JudgedRun[], metric: string, victim: string): ChartLine[] {
  const places = runs.flatMap((run, x) => (`${run.model} on ${run.data}` === victim ? [x + 1] : []));
  const required = runs.flatMap(({ gate }) => gate?.thresholds.find((one) => one.metric === metric) ?? []).at(-1);
  return limitsIn(required?.expected ?? '').map((limit) => ({
    name: `required ${requiredText(must(required))}`,
    tone: 'plain',
    points: places.map((x) => ({ x, y: limit })),
  }));
}

const STYLES = { passed: 'good', failed: 'bad', inconclusive: 'doubtful', none: 'dim' } as const;

function gateHistory(runs: readonly JudgedRun[]): Document {
  const metrics = [...new Set(runs.flatMap(({ gate }) => gate?.thresholds.map(({ metric }) => metric) ?? []))];
  const findRow = (run: JudgedRun, metric: string) => run.gate?.thresholds.find((one) => one.metric === metric);
  const victims = [...new Set(runs.map(({ model, data }) => `${model} on ${data}`))];
  const chart = (victim: string): Chart => ({
    kind: 'chart',
    panels: metrics.map((metric) => ({
      title: `${metric}, ${victim}`,
      lines: [
        {
          name: 'measured',
          tone: /attackSuccess|falsePositive/.test(metric) ? 'hit' : 'hold',
          points: runs.flatMap((run, x) => {
            const { value = null, low = null, high = null } = findRow(run, metric)?.actual ?? {};
            if (value === null || `${run.model} on ${run.data}` !== victim) return [];
            return [{ x: x + 1, y: value, ...(low !== null && high !== null && { low, high }) }];
          }),
        },
        ...requirementLines(runs, metric, victim),
      ],
    })),
    x: { label: 'run, by its number in the table', spacing: 'even' },
    y: { label: 'measured, with its 95 % interval', format: (value) => String(Number(value.toFixed(2))) },
  });
  const drawn = victims.map(chart).map(({ panels, ...rest }) => ({
    ...rest,
    panels: panels.filter(({ lines: [measured] }) => (measured?.points.length ?? 0) > 1),
  }));
  return {
    title: 'Gate history',
    lead: 'The finished runs of this folder, oldest first, judged by the current requirements of its configuration.',
    sections: [
      ...drawn
        .filter(({ panels }) => panels.length > 0)
        .map((block, at) => ({
          id: `over-time-${at + 1}`,
          title: at === 0 ? 'Figures over time' : undefined,
          blocks: [block],
        }))
        .map(({ title, ...rest }) => (title === undefined ? rest : { ...rest, title })),
      {
        id: 'verdicts',
        title: 'Verdicts',
        blocks: [
          {
            kind: 'table',
            caption: 'Runs and their verdicts',
            columns: ['run', 'verdict', 'model', 'data', ...metrics].map((title) => ({
              title,
              align: 'left' as const,
            })),
            rows: runs.map((run, at): Inline[] => [
              `${at + 1}. ${timeOf(run.id)}`,
              {
                style: STYLES[run.verdict],
                text: run.fault === undefined ? run.verdict : `${run.verdict}: ${run.fault}`,
              },
              run.model,
              run.data,
              ...metrics.map((metric): Inline => {
                const one = findRow(run, metric);
                if (one === undefined) return '';
                return { style: STYLES[one.verdict], text: `${measuredValue(one)}, required ${requiredText(one)}` };
              }),
            ]),
          },
        ],
      },
    ],
  };
}
