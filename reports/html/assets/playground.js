// Asks the server that sent the page: answers while one types, an attack step by step, the words that counted. The address holds the state.
{
  /** Markup of our own server, in which all that came from elsewhere is escaped. @param {HTMLElement} where @param {string} html */
  const put = (where, html) => {
    where.innerHTML = html;
    where.classList.remove('busy');
    dispatchEvent(new Event('robust-added'));
  };

  /** @typedef {{ message: string, hint?: string }} Failure */
  /** @typedef {{ queries: number, confidence: number, said: string, closest: boolean, html: string }} Step */

  /** @param {HTMLElement} where @param {Failure} failure */
  const putFailure = (where, { message, hint }) => {
    const alert = element(
      'div',
      'warn',
      element('p', '', element('strong', '', message)),
      element('p', 'note', hint ?? ''),
    );
    alert.setAttribute('role', 'alert');
    where.replaceChildren(alert);
    where.classList.remove('busy');
  };

  /** The error of a request that did not reach the server. */
  const gone = {
    message: 'robust ui does not answer',
    hint: 'Is it still running in its terminal? It says why it stopped.',
  };

  const form = by('playground', HTMLFormElement);
  const text = by('text', HTMLTextAreaElement);
  const answers = by('answers', HTMLElement);
  const attacks = by('attacks', HTMLElement);
  const explanation = by('explanation', HTMLElement);
  const stop = by('stop', HTMLButtonElement);

  const first = by('first-text', HTMLTextAreaElement);
  const firstField = by('first-field', HTMLElement);
  const goal = by('goal', HTMLSelectElement);
  const truth = by('truth', HTMLSelectElement);

  /** The form's values as an address query. */
  const state = () => {
    const query = new URLSearchParams();
    for (const [name, value] of new FormData(form)) {
      if (name === 'first' && firstField.hidden) continue;
      if (typeof value === 'string' && value.trim() !== '')
        query.append(name, name === 'text' || name === 'first' ? value.trim() : value);
    }
    return query;
  };
  const chosenModels = () => [...new Set(state().getAll('model'))];

  /** The current action besides answering: a link repeats it. @type {'attack' | 'explain' | ''} */
  let doing = '';
  const keep = () => {
    const query = state();
    if (doing !== '') query.set('do', doing);
    history.replaceState(null, '', `/?${query}`);
  };

  /** Requests under way: each can be stopped. @type {Set<() => void>} */
  const running = new Set();
  /** @param {() => void} end */
  const begun = (end) => {
    running.add(end);
    stop.disabled = false;
    return () => {
      running.delete(end);
      stop.disabled = running.size === 0;
    };
  };
  const stopAll = () => {
    for (const end of [...running]) end();
  };

  /** @param {string} path @param {URLSearchParams} query @param {HTMLElement} where @param {AbortSignal} signal */
  const ask = async (path, query, where, signal) => {
    where.classList.add('busy');
    try {
      const response = await fetch(`/live/${path}?${query}`, { signal });
      if (response.ok) put(where, await response.text());
      else if (response.headers.get('content-type') === 'application/json')
        putFailure(where, (await response.json()).error);
      else putFailure(where, { message: await response.text() });
    } catch (error) {
      if (!signal.aborted) putFailure(where, gone);
      else if (path !== 'answers') putFailure(where, { message: 'Stopped.' });
      if (!signal.aborted && !(error instanceof TypeError)) throw error;
    }
  };

  /** Are all texts present, both for a pair? @param {URLSearchParams} query */
  const complete = (query) => query.has('text') && (firstField.hidden || query.has('first'));
  /** The field that is to be filled in. @param {URLSearchParams} query */
  const missing = (query) => (query.has('text') ? first : text);

  /** The fields and goals that fit the first model. */
  const adapt = async () => {
    const model = by('first', HTMLSelectElement).value;
    const response = await fetch(`/live/model?${new URLSearchParams({ model })}`).catch(() => undefined);
    // The answer reports a model that cannot be loaded.
    if (!response?.ok || by('first', HTMLSelectElement).value !== model) return;
    /** @type {{ decision: string, goals: { name: string, title: string }[], truths: string[], texts?: [string, string] }} */
    const { decision, goals, truths, texts } = await response.json();
    by('decision', HTMLElement).textContent = `Decided by ${model}: ${decision}.`;
    firstField.hidden = texts === undefined;
    by('first-name', HTMLElement).textContent = texts?.[0] ?? 'First text';
    by('text-name', HTMLElement).textContent = texts === undefined ? 'Text' : `${texts[1]} (attacked)`;
    fill(goal, [{ name: '', title: 'automatic' }, ...goals]);
    by('goal-field', HTMLElement).hidden = goals.length < 2;
    fill(truth, [{ name: '', title: 'as the model answers' }, ...truths.map((name) => ({ name, title: name }))]);
    by('truth-field', HTMLElement).hidden = truths.length < 2;
  };
  /** @param {HTMLSelectElement} select @param {{ name: string, title: string }[]} choices */
  const fill = (select, choices) => {
    const chosen = select.value || select.dataset.chosen;
    select.replaceChildren(...choices.map(({ name, title }) => new Option(title, name)));
    if (choices.some(({ name }) => name === chosen)) select.value = chosen ?? '';
  };

  let latest = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting;
  const answer = () => {
    clearTimeout(waiting);
    latest.abort();
    latest = new AbortController();
    const query = state();
    if (!complete(query)) {
      put(answers, `<p class="note">${firstField.hidden ? 'Type a text.' : 'Type both texts.'}</p>`);
      return;
    }
    void ask('answers', query, answers, latest.signal);
  };

  const explain = async () => {
    const query = state();
    if (!complete(query)) return missing(query).focus();
    doing = 'explain';
    keep();
    by('explained', HTMLElement).hidden = false;
    explanation.replaceChildren(element('p', 'note', 'Asking the models many texts without some of the words …'));
    const ending = new AbortController();
    const ended = begun(() => ending.abort());
    await ask('explain', query, explanation, ending.signal);
    ended();
  };

  /** A model under attack: its queries so far, the closest text, and the texts that came closer, the latest first. */
  class AttackPanel {
    status = element('p', 'note', 'loading the model …');
    closest = element('div', '');
    bar = document.createElement('progress');
    steps = element('ol', 'steps');
    /** The latest step since the last frame. @type {Step | undefined} */
    pending;

    /** @param {string} model */
    constructor(model) {
      this.status.setAttribute('role', 'status');
      this.bar.max = 1;
      this.bar.setAttribute('aria-label', `how sure ${model} still is`);
      this.steps.tabIndex = 0;
      this.steps.setAttribute('aria-label', 'texts that came closer, the latest first');
      attacks.append(element('div', 'card', element('h3', '', model), this.status, this.bar, this.closest, this.steps));
    }

    draw() {
      if (this.pending === undefined) return;
      const { queries, said, html, confidence } = this.pending;
      this.status.textContent = `${queries} queries; ${said}`;
      put(this.closest, html);
      this.bar.value = confidence;
      this.pending = undefined;
    }

    /** @param {Step} step */
    step(step) {
      if (this.pending === undefined) requestAnimationFrame(() => this.draw());
      this.pending = step;
      if (!step.closest) return;
      const shown = element('div', '');
      shown.innerHTML = step.html;
      this.steps.prepend(element('li', '', element('span', 'figure', step.said), shown));
    }

    /** No step follows. */
    finish() {
      this.pending = undefined;
      this.status.remove();
      this.bar.remove();
    }

    /** @param {{ html: string, adversarial?: string }} result */
    end({ html, adversarial }) {
      this.finish();
      put(this.closest, html);
      if (adversarial === undefined) return;
      const use = element('button', '', 'Take this text');
      use.setAttribute('type', 'button');
      use.addEventListener('click', () => {
        text.value = adversarial;
        changed();
        text.focus();
      });
      this.closest.append(use);
    }

    /** @param {Failure} failure */
    fail(failure) {
      this.finish();
      putFailure(this.closest, failure);
    }
  }

  /** @param {string} model @param {URLSearchParams} query */
  const attackModel = (model, query) => {
    const panel = new AttackPanel(model);
    const asked = new URLSearchParams({ model });
    for (const name of ['text', 'first', 'attack', 'goal', 'truth'])
      if (query.has(name)) asked.set(name, query.get(name) ?? '');
    const events = new EventSource(`/live/attack?${asked}`);
    const ended = begun(() => fail({ message: 'Stopped.' }));
    const close = () => {
      events.close();
      ended();
    };
    const fail = (/** @type {Failure} */ failure) => {
      panel.fail(failure);
      close();
    };
    events.addEventListener('step', ({ data }) => panel.step(JSON.parse(data)));
    events.addEventListener('end', ({ data }) => {
      panel.end(JSON.parse(data));
      close();
    });
    events.addEventListener('failure', ({ data }) => fail(JSON.parse(data)));
    // It would ask again, and with that attack again.
    events.addEventListener('error', () => {
      if (events.readyState !== EventSource.CLOSED || running.size) fail(gone);
    });
  };

  const attack = () => {
    const query = state();
    if (!complete(query)) return missing(query).focus();
    stopAll();
    doing = 'attack';
    keep();
    by('attacked', HTMLElement).hidden = false;
    attacks.replaceChildren();
    for (const model of chosenModels()) attackModel(model, query);
  };

  const changed = () => {
    doing = '';
    keep();
    clearTimeout(waiting);
    waiting = setTimeout(answer, 250);
  };
  for (const field of [text, first]) field.addEventListener('input', changed);
  by('first', HTMLSelectElement).addEventListener('change', () => void adapt().then(changed));
  by('second', HTMLSelectElement).addEventListener('change', changed);
  form.addEventListener('change', () => {
    by('attack-name', HTMLElement).textContent = String(new FormData(form).get('attack') ?? '');
    keep();
  });
  form.addEventListener('submit', (event) => event.preventDefault());
  by('run-attack', HTMLButtonElement).addEventListener('click', attack);
  by('run-explain', HTMLButtonElement).addEventListener('click', () => void explain());
  stop.addEventListener('click', stopAll);
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape') stopAll();
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (event.shiftKey) void explain();
    else attack();
  });

  const asked = new URLSearchParams(location.search).get('do');
  void adapt().then(() => {
    answer();
    if (asked === 'attack') attack();
    if (asked === 'explain') void explain();
  });
}
