/** @file The pages of a run that is started here: its form, and how far it is. */
import { html } from '../../reports/html/markup.js';
import { section } from '../../reports/html/page.js';
import { quantity } from '../core/figure-text.js';
import { options, shell } from './pages.js';
import { attacksPicker } from './picker.js';
import type { StartedRun, UiSource } from './source.js';

/** Fills in the values that the address names. */
export function newRunPage(source: UiSource, query: URLSearchParams): Iterable<string> {
  const { models, data, attacks } = source;
  const [suites, chosen] = [query.getAll('suite'), query.getAll('attack')];
  const preset = suites.length + chosen.length === 0 ? ['typos'] : suites;
  const number = (name: string, preset: number) => query.get(name) ?? String(preset);
  const running = source.current()?.status === 'running';
  return shell(
    '/new',
    'New run',
    'Attacks a model on a data set, as robust attack does. The report opens when the run ends.',
    [
      running && html`<p class="note warn">A run is under way: <a href="/running">follow it</a>.</p>`,
      html`<form method="post" action="/new" autocomplete="off">
<div class="filters">
<label>Model<select name="model">${options(models, query.get('model'))}</select></label>
<label>Data<select name="data">${options(data, query.get('data'))}</select></label>
<label>Examples (0: all)<input type="number" name="examples" min="0" value="${number('examples', 200)}"></label>
<label>Random seed<input type="number" name="seed" min="0" value="${number('seed', 42)}"></label>
</div>
<p class="actions"><button class="main">Start the run</button><span class="note">Other models and data: <code>robust ui -m MODEL -d FILE</code></span></p>
${section('attacks', 'Attacks by suite', attacksPicker(attacks, preset, chosen))}
</form>`,
    ],
    ['picker.js'],
  );
}

export function runningPage(state: StartedRun | undefined): Iterable<string> {
  if (state === undefined) {
    return shell('/new', 'No run', undefined, [html`<p>No run was started here. <a href="/new">Start one</a>.</p>`]);
  }
  const { question, status, words, share } = state;
  const { model, data, suites, attacks, examples, seed } = question;
  const running = status === 'running';
  const size = examples === 0 ? 'all examples' : quantity(examples, 'example');
  return shell(
    '/new',
    `${model} on ${data}`,
    `${[...suites, ...attacks].join(', ')}; ${size}, seed ${seed}`,
    [
      html`<p id="progress-words" role="status">${words}</p>
<p><progress id="progress" max="1"${share !== undefined && html` value="${share}"`}${!running && html` hidden`} aria-label="progress of the run"></progress></p>
<form method="post" action="/stop" class="actions"><button id="stop"${!running && html` disabled`}>Stop</button></form>`,
    ],
    running ? ['running.js'] : [],
  );
}
