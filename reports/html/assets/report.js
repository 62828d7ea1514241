// Filters, searches and pages the outcomes that the page carries. Texts enter the page as text nodes only.
{
  /** Edits or entities as outcome-list.ts packs them, three values each. @typedef {(number | string)[]} Packed */
  /** @typedef {[text: number, attack: number, status: number, from: number, to: number, before: number, after: number, words: number, changed: number, queries: number, detail?: string | Packed | null, entities?: Packed]} Row */
  /** @typedef {[id: string, text: string, label: number, other?: string, entities?: Packed]} Text */
  /** @typedef {{ labels: string[], attacks: string[], statuses: string[], marks: string[], invisible: string, texts: Text[], rows: Row[] }} Data */

  /** Rows on a page. */
  const PAGE = 25;
  /** A stretch of unchanged text longer than this is folded. */
  const LONG = 420;
  const CONTEXT = 160;
  /** As the report in CSV calls them. */
  const OUTCOME_COLUMNS =
    'id attack status label from to scoreBefore scoreAfter words changed queriesAsked text adversarial'.split(' ');
  /** Characters of a line, about. */
  const LINE = 95;

  /** The bytes of a text in base 85: five digits for four of them, the highest first. @param {string} text @param {string} digits */
  const bytesOf = (text, digits) => {
    const value = new Uint8Array(128);
    for (let digit = 0; digit < 85; digit++) value[digits.charCodeAt(digit)] = digit;
    const most = Math.ceil(text.length / 5) * 4;
    const bytes = new DataView(new ArrayBuffer(most));
    for (let at = 0, to = 0; at < text.length; at += 5, to += 4) {
      let sum = 0;
      for (let i = at; i < at + 5; i++) sum = sum * 85 + (i < text.length ? Number(value[text.charCodeAt(i)]) : 84);
      bytes.setUint32(to, sum);
    }
    return new Uint8Array(bytes.buffer, 0, most - (most / 4) * 5 + text.length);
  };

  /** Much data is packed (packed-data.ts). @param {string} text @param {string} digits @returns {Promise<Data>} */
  const unpacked = async (text, digits) => {
    const bytes = new Blob([bytesOf(text, digits)]);
    return new Response(bytes.stream().pipeThrough(new DecompressionStream('deflate-raw'))).json();
  };

  /** A row with its text, its indices resolved to names. @param {Data} data @param {Row} row */
  const outcomeOf = ({ labels, attacks, statuses, texts }, row) => {
    const [at, attack, status, from, to, before, after, words, changed, queries, detail, entitiesAfter] = row;
    const [id, text, truth, beside = '', entities] = /** @type {Text} */ (texts[at]);
    const label = (/** @type {number} */ index) => labels[index] ?? (index < 0 ? 'none' : String(index));
    return {
      id,
      text,
      beside,
      detail,
      entities,
      entitiesAfter,
      figures: { before, after, words, changed, queries },
      attack: attacks[attack] ?? '',
      status: statuses[status] ?? '',
      truth: label(truth),
      from: label(from),
      to: label(to),
      /** Values of the selects that filter, in the order of `filter`. */
      choices: [status, attack, truth],
      /** Searched text in lower case; built at the first search. */
      haystack: '',
    };
  };
  /** @typedef {ReturnType<typeof outcomeOf>} Outcome */

  /** Unchanged stretches of a text, each with the edit that follows it. @param {string} text @param {Packed} edits */
  const stretches = (text, edits) => {
    const list = [];
    let at = 0;
    for (let i = 0; i < edits.length; i += 3) {
      const start = at + Number(edits[i]);
      const end = start + Number(edits[i + 1]);
      list.push({ at, same: text.slice(at, start), from: text.slice(start, end), to: String(edits[i + 2]) });
      at = end;
    }
    return [...list, { at, same: text.slice(at), from: '', to: '' }];
  };

  /** The adversarial text, or undefined if there is none. @param {Outcome} outcome */
  const adversarialText = ({ text, detail }) =>
    Array.isArray(detail) ? stretches(text, detail).reduce((all, { same, to }) => all + same + to, '') : undefined;

  /** @param {Outcome} outcome */
  const haystackOf = (outcome) => {
    const { id, text, beside } = outcome;
    outcome.haystack ||= `${id}\n${text}\n${beside}\n${adversarialText(outcome) ?? ''}`.toLowerCase();
    return outcome.haystack;
  };

  /** Sort keys of the orders; the smallest comes first. @type {Record<string, (outcome: Outcome) => number>} */
  const ORDERS = {
    effort: ({ status, figures: { words, changed } }) =>
      status === 'succeeded' ? Math.max(1, changed) / Math.max(1, words) : 2,
    swing: ({ figures: { before, after } }) => after - before,
  };

  /** @param {string} character */
  const codePoint = (character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

  /** Letters of another script in a word that had none: `о=U+043E`. @param {string} from @param {string} to */
  const lookAlikes = (from, to) => {
    const foreign = /[^\P{L}\p{Script=Latin}]/gu;
    if (from.search(foreign) >= 0) return [];
    return [...new Set(to.match(foreign))].map((letter) => `${letter}=${codePoint(letter)}`);
  };

  /** Cuts before a position without breaking a surrogate pair. @param {string} text @param {number} at */
  const whole = (text, at) => (/[\uDC00-\uDFFF]/.test(text[at] ?? '') ? at + 1 : at);

  /** With the decimals of the longer one, so that the scores differ. @param {number[]} both */
  const scores = (...both) => {
    const decimals = Math.max(2, ...both.map((each) => (String(each).split('.')[1] ?? '').length));
    return both.map((each) => each.toFixed(decimals));
  };

  /** Renders outcomes; invisible characters are shown by their code points. */
  class Renderer {
    /** @param {Data} data */
    constructor({ invisible, marks }) {
      this.invisible = new RegExp(`(${invisible})`, 'u');
      this.marks = marks;
    }

    /** The text on one line, its invisible characters replaced. @template T @param {string} text @param {(sign: string) => T} replace */
    parts(text, replace) {
      const parts = text.replace(/[\n\r\t]/g, ' ').split(this.invisible);
      return parts.map((part, i) => (i % 2 === 0 ? part : replace(codePoint(part))));
    }

    /** @param {string} text */
    nodes(text) {
      return this.parts(text, (sign) => element('span', 'code-point', sign));
    }

    /** Unchanged text; if it is long, its middle is folded. @param {string} text @param {boolean} first @param {boolean} last */
    unchanged(text, first, last) {
      if (text.length <= LONG) return this.nodes(text);
      const head = whole(text, first && !last ? 0 : CONTEXT);
      const tail = whole(text, last && !first ? text.length : text.length - CONTEXT);
      const hidden = text.slice(head, tail);
      const more = element('button', 'more', `… ${hidden.length} characters …`);
      more.setAttribute('type', 'button');
      more.addEventListener('click', () => more.replaceWith(...this.nodes(hidden)));
      return [...this.nodes(text.slice(0, head)), more, ...this.nodes(text.slice(tail))];
    }

    /** The text with its edits marked. @param {string} text @param {Packed} edits */
    edited(text, edits) {
      const line = element('p', 'text');
      line.dir = 'auto';
      stretches(text, edits).forEach(({ at, same, from, to }, i, { length }) => {
        line.append(...this.unchanged(same, at === 0, i === length - 1));
        if (from !== '') line.append(element('del', '', ...this.nodes(from)));
        if (to !== '') line.append(element('ins', '', ...this.nodes(to)));
        const alike = lookAlikes(from, to);
        if (alike.length > 0) line.append(element('small', 'alike', ` ${alike.join(', ')}`));
      });
      return line;
    }

    /** A text with its entities. @param {string} title @param {string} text @param {Packed} pieces */
    tagged(title, text, pieces) {
      const line = element('p', 'text tagged', element('b', '', title), ' ');
      line.dir = 'auto';
      let at = 0;
      for (let i = 0; i < pieces.length; i += 3) {
        const piece = text.slice(at, at + Number(pieces[i]));
        at += piece.length;
        const [mark, label] = [this.marks[Number(pieces[i + 1]) - 1], String(pieces[i + 2])];
        const tag = label === '' ? [] : [element('small', '', ...this.nodes(label))];
        if (mark === undefined) line.append(...this.unchanged(piece, i === 0, at === text.length));
        else line.append(element('mark', mark, ...this.nodes(piece), ...tag));
      }
      return line;
    }

    /** The attack, the id of the text, the outcome and a link to it. @param {Outcome} outcome */
    about({ id, attack, status, truth, from, to, figures: { before, after, queries } }) {
      const skipped = status === 'skipped' ? `true ${truth}, predicted ${from}` : truth;
      const facts = [status === 'succeeded' ? `${from} → ${to}` : skipped];
      if (['succeeded', 'failed', 'tied'].includes(status))
        facts.push(`score ${scores(before, after).join(' → ')}`, `${queries} ${queries === 1 ? 'query' : 'queries'}`);
      const link = element('a', 'no-print', 'Link');
      link.setAttribute('href', `#${new URLSearchParams({ text: id, attack })}`);
      link.setAttribute('aria-label', `Link to ${id} under ${attack}`);
      const line = element('p', 'about', element('b', '', ...this.nodes(attack)));
      line.append(
        element('span', '', ...this.nodes(id)),
        element('span', status === 'succeeded' ? '' : 'none', status),
      );
      line.append(...facts.map((fact) => element('span', '', ...this.nodes(fact))), link);
      return line;
    }

    /** @param {Outcome} outcome */
    item(outcome) {
      const { text, beside, status, detail, entities, entitiesAfter } = outcome;
      const item = element('li', '', this.about(outcome));
      if (entities === undefined) item.append(this.edited(text, Array.isArray(detail) ? detail : []));
      else item.append(this.tagged(entitiesAfter === undefined ? '' : 'Before', text, entities));
      if (entitiesAfter !== undefined)
        item.append(this.tagged('After', adversarialText(outcome) ?? text, entitiesAfter));
      // A page of long texts takes longer to lay out than to find: what is out of sight waits, in about the room it will take.
      if (text.length > LONG) {
        item.className = 'long';
        item.style.containIntrinsicSize = `auto ${3 + 1.5 * Math.ceil(text.length / LINE)}rem`;
      }
      if (beside !== '') item.append(element('p', 'note', ...this.nodes(beside)));
      const note =
        detail == null && status === 'succeeded' ? 'The embeddings were moved; there is no text to show.' : detail;
      if (typeof note === 'string') item.append(element('p', 'note', ...this.nodes(note)));
      return item;
    }
  }

  /** The outcomes that the controls choose, a page at a time. */
  class OutcomeBrowser {
    words = by('words', HTMLInputElement);
    status = by('status', HTMLSelectElement);
    attack = by('attack', HTMLSelectElement);
    truth = by('class', HTMLSelectElement);
    order = by('order', HTMLSelectElement);
    list = by('list', HTMLOListElement);
    earlier = by('earlier', HTMLButtonElement);
    later = by('later', HTMLButtonElement);
    /** Outcomes that pass the filters, in order. @type {Outcome[]} */
    chosen = [];
    /** Index in `chosen` of the first outcome on the page. */
    first = 0;

    /** @param {Data} data */
    constructor(data) {
      this.outcomes = data.rows.map((row) => outcomeOf(data, row));
      this.renderer = new Renderer(data);
    }

    filter() {
      const sought = this.words.value.trim().toLowerCase();
      const wanted = [this.status, this.attack, this.truth].map(({ value }) => value);
      this.chosen = this.outcomes.filter(
        (outcome) =>
          wanted.every((value, at) => value === '' || Number(value) === outcome.choices[at]) &&
          (sought === '' || haystackOf(outcome).includes(sought)),
      );
      const key = ORDERS[this.order.value];
      if (key !== undefined) this.chosen.sort((a, b) => key(a) - key(b));
      this.show(0);
    }

    /** @param {number} first */
    show(first) {
      const { chosen, outcomes, list } = this;
      const last = Math.min(chosen.length, first + PAGE);
      this.first = first;
      list.replaceChildren(...chosen.slice(first, last).map((outcome) => this.renderer.item(outcome)));
      list.start = first + 1;
      by('count', HTMLElement).textContent =
        chosen.length === 0
          ? `Nothing found among ${outcomes.length} outcomes.`
          : `${chosen.length} of ${outcomes.length} outcomes${chosen.length > PAGE ? `, ${first + 1} to ${last} shown` : ''}.`;
      const pages = Math.ceil(chosen.length / PAGE);
      by('where', HTMLElement).textContent = pages > 1 ? `Page ${first / PAGE + 1} of ${pages}` : '';
      this.earlier.disabled = first === 0;
      this.later.disabled = last >= chosen.length;
    }

    /** @param {number} pages */
    turn(pages) {
      this.show(this.first + pages * PAGE);
      document.getElementById('texts-heading')?.scrollIntoView();
    }

    /** Shows the outcome that the address names: `#text=ID&attack=NAME`. */
    follow() {
      const hash = new URLSearchParams(location.hash.slice(1));
      const at = this.outcomes.findIndex(({ id, attack }) => id === hash.get('text') && attack === hash.get('attack'));
      if (at < 0) return;
      for (const control of [this.words, this.status, this.attack, this.truth, this.order]) control.value = '';
      this.filter();
      this.show(at - (at % PAGE));
      const item = this.list.children[at - this.first];
      if (!(item instanceof HTMLElement)) return;
      item.classList.add('linked');
      item.tabIndex = -1;
      item.focus({ preventScroll: true });
      item.scrollIntoView({ block: 'center' });
    }

    /** The chosen outcomes of all pages as rows of CSV. */
    table() {
      const body = this.chosen.map((outcome) => {
        const { id, attack, status, truth, from, to, figures, text } = outcome;
        const plain = (/** @type {string} */ each) => this.renderer.parts(each, (sign) => `<${sign}>`).join('');
        const texts = [plain(text), plain(adversarialText(outcome) ?? '')];
        return [id, attack, status, truth, from, to, ...Object.values(figures), ...texts];
      });
      return [OUTCOME_COLUMNS, ...body];
    }
  }

  /** @param {Data} data */
  const browse = (data) => {
    const browser = new OutcomeBrowser(data);
    const { outcomes, words, status, attack, truth, order, earlier, later } = browser;
    const filter = () => browser.filter();
    words.addEventListener('input', filter);
    for (const control of [status, attack, truth, order]) control.addEventListener('change', filter);
    earlier.addEventListener('click', () => browser.turn(-1));
    later.addEventListener('click', () => browser.turn(1));
    by('save', HTMLButtonElement).addEventListener('click', () =>
      dispatchEvent(new CustomEvent('robust-save', { detail: { name: 'outcomes', rows: browser.table() } })),
    );
    // Attacks named elsewhere in the page lead to their texts.
    for (const link of document.querySelectorAll('[data-show-attack]')) {
      link.addEventListener('click', () => {
        attack.value = link.getAttribute('data-show-attack') ?? '';
        filter();
      });
    }
    // A page reloaded keeps its own choice; a fresh one begins with what succeeded.
    if (status.value === '' && outcomes.some((outcome) => outcome.status === 'succeeded')) status.value = '0';
    by('browser', HTMLElement).hidden = false;
    filter();
    browser.follow();
    addEventListener('hashchange', () => browser.follow());
    // Spares the first search the work.
    setTimeout(() => outcomes.forEach(haystackOf));
  };

  const carried = document.getElementById('outcomes');
  if (carried !== null) {
    const text = carried.textContent ?? '';
    const { digits } = carried.dataset;
    const unread = () => {
      by('unread', HTMLElement).hidden = false;
    };
    if (digits === undefined) browse(JSON.parse(text));
    else unpacked(text, digits).then(browse, unread);
  }

  for (const button of document.querySelectorAll('.copy')) {
    if (!(button instanceof HTMLElement) || navigator.clipboard === undefined) continue;
    button.hidden = false;
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(button.previousElementSibling?.textContent ?? '');
      button.textContent = 'Copied';
    });
  }
}
