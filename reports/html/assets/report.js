// Filters, searches and pages the outcomes that the page carries. Texts enter the page as text nodes only.
{
  /** @typedef {[text: number, attack: number, status: number, from: number, to: number, before: number, after: number, words: number, changed: number, queries: number, detail?: string | (number | string)[] | null, entities?: (number | string)[]]} Row */
  /** @typedef {{ labels: string[], attacks: string[], statuses: string[], marks: string[], invisible: string, texts: [id: string, text: string, label: number, other?: string, entities?: (number | string)[]][], rows: Row[] }} Outcomes */

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

  /** Much data is packed (packed-data.ts). @param {string} text @param {string} digits @returns {Promise<Outcomes>} */
  const unpacked = async (text, digits) => {
    const bytes = new Blob([bytesOf(text, digits)]);
    return new Response(bytes.stream().pipeThrough(new DecompressionStream('deflate-raw'))).json();
  };

  /** @param {Outcomes} data */
  const browse = (data) => {
    const invisible = new RegExp(data.invisible, 'gu');

    /** @param {string} character */
    const codePoint = (character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

    /** Line breaks and tabs matter to no reader here. @param {string} text */
    const oneLine = (text) => text.replace(/[\n\r\t]/g, ' ');

    /** Shows invisible characters by their code points. @param {string} text */
    const shownText = (text) => oneLine(text).replace(invisible, (sign) => `<${codePoint(sign)}>`);

    /** A text as nodes; invisible characters are shown by their code points. @param {string} text @returns {(Node | string)[]} */
    const seen = (text) => {
      /** @type {(Node | string)[]} */
      const nodes = [];
      let at = 0;
      for (const match of text.matchAll(invisible)) {
        nodes.push(oneLine(text.slice(at, match.index)), element('span', 'code-point', codePoint(match[0])));
        at = match.index + match[0].length;
      }
      nodes.push(oneLine(text.slice(at)));
      return nodes;
    };

    /** Letters of another script in a word that had none: `о=U+043E`. @param {string} from @param {string} to */
    const lookAlikes = (from, to) => {
      const foreign = /[^\P{L}\p{Script=Latin}]/gu;
      if (from.search(foreign) >= 0) return [];
      return [...new Set(to.match(foreign))].map((letter) => `${letter}=${codePoint(letter)}`);
    };

    /** Cuts before a position without breaking a surrogate pair. @param {string} text @param {number} at */
    const whole = (text, at) => (/[\uDC00-\uDFFF]/.test(text[at] ?? '') ? at + 1 : at);

    /** Unchanged text, its middle folded where it is long. @param {string} text @param {boolean} first @param {boolean} last */
    const unchanged = (text, first, last) => {
      if (text.length <= LONG) return seen(text);
      const head = whole(text, first && !last ? 0 : CONTEXT);
      const tail = whole(text, last && !first ? text.length : text.length - CONTEXT);
      const hidden = text.slice(head, tail);
      const more = element('button', 'more', `… ${hidden.length} characters …`);
      more.setAttribute('type', 'button');
      more.addEventListener('click', () => more.replaceWith(...seen(hidden)));
      return [...seen(text.slice(0, head)), more, ...seen(text.slice(tail))];
    };

    /** The text with its edits marked. @param {string} text @param {(number | string)[]} edits */
    const marked = (text, edits) => {
      /** @type {(Node | string)[]} */
      const nodes = [];
      let at = 0;
      for (let i = 0; i < edits.length; i += 3) {
        const start = at + Number(edits[i]);
        const end = start + Number(edits[i + 1]);
        const [from, to] = [text.slice(start, end), String(edits[i + 2])];
        nodes.push(...unchanged(text.slice(at, start), at === 0, false));
        if (from !== '') nodes.push(element('del', '', ...seen(from)));
        if (to !== '') nodes.push(element('ins', '', ...seen(to)));
        const alike = lookAlikes(from, to);
        if (alike.length > 0) nodes.push(element('small', 'alike', ` ${alike.join(', ')}`));
        at = end;
      }
      nodes.push(...unchanged(text.slice(at), at === 0, true));
      return nodes;
    };

    /** A text with its entities. @param {string} title @param {string} text @param {(number | string)[]} pieces */
    const tagged = (title, text, pieces) => {
      const line = element('p', 'text tagged', element('b', '', title), ' ');
      line.dir = 'auto';
      let at = 0;
      for (let i = 0; i < pieces.length; i += 3) {
        const piece = text.slice(at, at + Number(pieces[i]));
        at += piece.length;
        const [mark, label] = [data.marks[Number(pieces[i + 1]) - 1], String(pieces[i + 2])];
        if (mark === undefined) line.append(...unchanged(piece, i === 0, at === text.length));
        else
          line.append(
            element('mark', mark, ...seen(piece), ...(label === '' ? [] : [element('small', '', ...seen(label))])),
          );
      }
      return line;
    };

    /** The text as the attack left it. @param {string} text @param {(number | string)[]} edits */
    const adversarial = (text, edits) => {
      let [made, at] = ['', 0];
      for (let i = 0; i < edits.length; i += 3) {
        const start = at + Number(edits[i]);
        made += text.slice(at, start) + edits[i + 2];
        at = start + Number(edits[i + 1]);
      }
      return made + text.slice(at);
    };

    const { rows, texts } = data;
    /** Searched texts in lower case; built at the first search. @type {string[] | undefined} */
    let haystacks;
    const searched = () => {
      haystacks ??= rows.map(([text, , , , , , , , , , detail]) => {
        const [id, before, , beside = ''] = texts[text] ?? ['', '', -1];
        return `${id}\n${before}\n${beside}\n${Array.isArray(detail) ? adversarial(before, detail) : ''}`.toLowerCase();
      });
      return haystacks;
    };

    const words = by('words', HTMLInputElement);
    const status = by('status', HTMLSelectElement);
    const attack = by('attack', HTMLSelectElement);
    const trueClass = by('class', HTMLSelectElement);
    const order = by('order', HTMLSelectElement);
    const list = by('list', HTMLOListElement);
    const count = by('count', HTMLElement);
    const where = by('where', HTMLElement);
    const earlier = by('earlier', HTMLButtonElement);
    const later = by('later', HTMLButtonElement);

    /** Rows that pass the filters, in order. @type {number[]} */
    let found = [];
    let first = 0;

    const filter = () => {
      const sought = words.value.trim().toLowerCase();
      const wanted = [status, attack, trueClass].map(({ value }) => (value === '' ? -1 : Number(value)));
      const hay = sought === '' ? [] : searched();
      found = [];
      rows.forEach((row, i) => {
        if (wanted[0] !== -1 && row[2] !== wanted[0]) return;
        if (wanted[1] !== -1 && row[1] !== wanted[1]) return;
        if (wanted[2] !== -1 && texts[row[0]]?.[2] !== wanted[2]) return;
        if (sought !== '' && !hay[i]?.includes(sought)) return;
        found.push(i);
      });
      /** @param {number} i */
      const row = (i) => /** @type {Row} */ (rows[i]);
      /** @type {Record<string, (i: number) => number>} */
      const keys = {
        effort: (i) => (row(i)[2] === 0 ? Math.max(1, row(i)[8]) / Math.max(1, row(i)[7]) : 2),
        swing: (i) => row(i)[6] - row(i)[5],
      };
      const key = keys[order.value];
      if (key !== undefined) found.sort((a, b) => key(a) - key(b) || a - b);
      first = 0;
      show();
    };

    const show = () => {
      const last = Math.min(found.length, first + PAGE);
      list.replaceChildren(...found.slice(first, last).map(item));
      list.start = first + 1;
      count.textContent =
        found.length === 0
          ? `Nothing found among ${rows.length} outcomes.`
          : `${found.length} of ${rows.length} outcomes${found.length > PAGE ? `, ${first + 1} to ${last} shown` : ''}.`;
      const pages = Math.ceil(found.length / PAGE);
      where.textContent = pages > 1 ? `Page ${first / PAGE + 1} of ${pages}` : '';
      earlier.disabled = first === 0;
      later.disabled = last >= found.length;
    };

    /** With the decimals of the longer one, so that the scores differ. @param {number[]} both */
    const scores = (...both) => {
      const decimals = Math.max(2, ...both.map((each) => (String(each).split('.')[1] ?? '').length));
      return both.map((each) => each.toFixed(decimals));
    };

    /** @param {number} i */
    const item = (i) => {
      const [text, attacked, state, from, to, before, after, , , queries, detail, now] = /** @type {Row} */ (rows[i]);
      const [id, original, truth, beside, entities] = /** @type {Outcomes['texts'][number]} */ (texts[text]);
      /** @param {number} index */
      const label = (index) => data.labels[index] ?? (index < 0 ? 'none' : String(index));
      const said = data.statuses[state] ?? '';
      const about = element('p', 'about', element('b', '', ...seen(data.attacks[attacked] ?? '')));
      about.append(element('span', '', ...seen(id)), element('span', said === 'succeeded' ? '' : 'none', said));
      if (said === 'succeeded') about.append(element('span', '', ...seen(`${label(from)} → ${label(to)}`)));
      else if (said === 'skipped') {
        about.append(element('span', '', ...seen(`true ${label(truth)}, predicted ${label(from)}`)));
      } else about.append(element('span', '', ...seen(label(truth))));
      if (said === 'succeeded' || said === 'failed' || said === 'tied') {
        about.append(element('span', '', `score ${scores(before, after).join(' → ')}`));
        about.append(element('span', '', `${queries} ${queries === 1 ? 'query' : 'queries'}`));
      }
      const link = element('a', 'no-print', 'Link');
      const address = new URLSearchParams({ text: id, attack: data.attacks[attacked] ?? '' });
      link.setAttribute('href', `#${address}`);
      link.setAttribute('aria-label', `Link to ${id} under ${data.attacks[attacked] ?? ''}`);
      about.append(link);
      const edits = Array.isArray(detail) ? detail : [];
      const shown = element('p', 'text', ...marked(original, edits));
      shown.dir = 'auto';
      const lines = entities === undefined ? [shown] : [tagged(now === undefined ? '' : 'Before', original, entities)];
      if (now !== undefined) lines.push(tagged('After', adversarial(original, edits), now));
      const made = element('li', '', about, ...lines);
      // A page of long texts takes longer to lay out than to find: what is out of sight waits, in about the room it will take.
      if (original.length > LONG) {
        made.className = 'long';
        made.style.containIntrinsicSize = `auto ${3 + 1.5 * Math.ceil(original.length / LINE)}rem`;
      }
      const note =
        detail == null && said === 'succeeded' ? 'The embeddings were moved; there is no text to show.' : detail;
      if (beside !== undefined && beside !== '') made.append(element('p', 'note', ...seen(beside)));
      if (typeof note === 'string') made.append(element('p', 'note', ...seen(note)));
      return made;
    };

    /** Shows the outcome that the address names: `#text=ID&attack=NAME`. */
    const follow = () => {
      const wanted = new URLSearchParams(location.hash.slice(1));
      const at = rows.findIndex(
        ([text, attacked]) =>
          texts[text]?.[0] === wanted.get('text') && data.attacks[attacked] === wanted.get('attack'),
      );
      if (at < 0) return;
      for (const control of [words, status, attack, trueClass, order]) control.value = '';
      filter();
      first = at - (at % PAGE);
      show();
      const made = list.children[at - first];
      if (!(made instanceof HTMLElement)) return;
      made.classList.add('linked');
      made.tabIndex = -1;
      made.focus({ preventScroll: true });
      made.scrollIntoView({ block: 'center' });
    };

    /** @param {number} to */
    const turn = (to) => {
      first = to;
      show();
      document.getElementById('texts-heading')?.scrollIntoView();
    };

    /** All that was found, on whatever page; a text as the attack left it. */
    const table = () => {
      const name = (/** @type {number} */ index) => data.labels[index] ?? (index < 0 ? 'none' : String(index));
      const body = found.map((i) => {
        const [text, attacked, state, from, to, was, now, count, changed, queries, detail] = /** @type {Row} */ (
          rows[i]
        );
        const [id, original, truth] = /** @type {[string, string, number]} */ (texts[text]);
        const after = Array.isArray(detail) ? adversarial(original, detail) : '';
        const facts = [id, data.attacks[attacked] ?? '', data.statuses[state] ?? '', name(truth), name(from), name(to)];
        return [...facts, was, now, count, changed, queries, shownText(original), shownText(after)];
      });
      return [OUTCOME_COLUMNS, ...body];
    };

    words.addEventListener('input', filter);
    for (const control of [status, attack, trueClass, order]) control.addEventListener('change', filter);
    earlier.addEventListener('click', () => turn(first - PAGE));
    later.addEventListener('click', () => turn(first + PAGE));
    by('save', HTMLButtonElement).addEventListener('click', () =>
      dispatchEvent(new CustomEvent('robust-save', { detail: { name: 'outcomes', rows: table() } })),
    );
    // Attacks named elsewhere in the page lead to their texts.
    for (const link of document.querySelectorAll('[data-show-attack]')) {
      link.addEventListener('click', () => {
        attack.value = link.getAttribute('data-show-attack') ?? '';
        filter();
      });
    }
    // A page reloaded keeps its own choice; a fresh one begins with what succeeded.
    if (status.value === '' && rows.some((row) => row[2] === 0)) status.value = '0';
    by('browser', HTMLElement).hidden = false;
    filter();
    follow();
    addEventListener('hashchange', follow);
    // So that the first search need not.
    setTimeout(searched);
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
