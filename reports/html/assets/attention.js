// Draws the attention of a layer and head between two columns of tokens, and what the model says without a word. All of it was computed beforehand.
{
  /** @typedef {{ tokens: { text: string, slot: number | null }[], layers: number, heads: number, weights: number[][][][], without: number[][], probabilities: number[], labels: string[], label: number }} View */

  /** Attention below this is not shown. */
  const LEAST = 0.005;

  /** @param {string} tag @param {Record<string, string | number>} attributes */
  const svgElement = (tag, attributes) => {
    const created = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, String(value));
    return created;
  };

  class AttentionView {
    /** The token pointed at, whose lines are shown alone. @type {number | undefined} */
    pointed;
    /** The word left out. @type {number | null} */
    absent = null;
    /** @type {number | 'mean'} */
    head = 'mean';

    /** @param {View} view @param {Record<'answers' | 'lines' | 'to' | 'from', Element>} parts */
    constructor(view, parts) {
      this.view = view;
      this.parts = parts;
      this.layer = view.layers - 1;
      view.tokens.forEach(({ text }, at) => {
        parts.to.append(element('li', '', this.tokenButton(at)));
        parts.from.append(element('li', '', element('span', '', text), element('small', '')));
      });
    }

    /** Attention from place a to place b. @param {number} a @param {number} b */
    weight(a, b) {
      const heads = this.view.weights[this.layer] ?? [];
      const chosen = this.head === 'mean' ? heads : [heads[this.head]];
      return chosen.reduce((sum, one) => sum + (one?.[a]?.[b] ?? 0), 0) / chosen.length / 1000;
    }

    /** A token to point at and press. @param {number} at */
    tokenButton(at) {
      const { text = '', slot = null } = this.view.tokens[at] ?? {};
      const button = element('button', '', text);
      button.setAttribute('type', 'button');
      button.setAttribute('aria-pressed', 'false');
      for (const type of ['pointerenter', 'focus']) button.addEventListener(type, () => this.update({ pointed: at }));
      for (const type of ['pointerleave', 'blur'])
        button.addEventListener(type, () => this.update({ pointed: undefined }));
      button.addEventListener('click', () => this.update({ absent: this.absent === slot ? null : slot }));
      return button;
    }

    /** @param {Partial<Pick<AttentionView, 'layer' | 'head' | 'pointed' | 'absent'>>} change */
    update(change) {
      Object.assign(this, change);
      this.draw();
    }

    /** Places with attention: those of the token pointed at, or only the strongest, because all lines would hide each other. */
    pairs() {
      /** @type {[number, number, number][]} */
      const pairs = [];
      const { length } = this.view.tokens;
      for (let a = 0; a < length; a++) {
        if (this.pointed !== undefined && a !== this.pointed) continue;
        for (let b = 0; b < length; b++) {
          const w = this.weight(a, b);
          if (w >= LEAST) pairs.push([a, b, w]);
        }
      }
      return this.pointed === undefined ? pairs.sort((x, y) => y[2] - x[2]).slice(0, 3 * length) : pairs;
    }

    drawLines() {
      const { lines, to } = this.parts;
      const height = to.getBoundingClientRect().height;
      const row = height / this.view.tokens.length;
      const pairs = this.pairs();
      const most = Math.max(0.01, ...pairs.map(([, , w]) => w));
      lines.setAttribute('viewBox', `0 0 100 ${height}`);
      lines.setAttribute('preserveAspectRatio', 'none');
      lines.replaceChildren(
        ...pairs.map(([a, b, w]) =>
          svgElement('line', {
            x1: 0,
            y1: (a + 0.5) * row,
            x2: 100,
            y2: (b + 0.5) * row,
            'stroke-opacity': 0.1 + (0.9 * w) / most,
            'stroke-width': 0.75 + (2.5 * w) / most,
            'vector-effect': 'non-scaling-stroke',
          }),
        ),
      );
    }

    drawTokens() {
      const { absent, pointed, parts, view } = this;
      view.tokens.forEach(({ slot }, at) => {
        const [to, from] = [parts.to.children[at], parts.from.children[at]];
        if (to === undefined || from === undefined) return;
        const isAbsent = absent !== null && slot === absent;
        to.classList.toggle('absent', isAbsent);
        to.classList.toggle('chosen', pointed === at);
        to.firstElementChild?.setAttribute('aria-pressed', String(isAbsent));
        const w = pointed === undefined ? 0 : this.weight(pointed, at);
        from.className = w < LEAST ? '' : `seen-${Math.min(5, 1 + Math.floor(w * 8))}`;
        from.classList.toggle('absent', isAbsent);
        from.lastElementChild?.replaceChildren(w < LEAST ? '' : w.toFixed(2));
      });
    }

    /** A label's probability, as a bar and as a figure with its change. @param {string} name @param {number} at @param {number} p */
    answer(name, at, p) {
      const change = p - (this.view.probabilities[at] ?? 0);
      const moved = this.absent === null ? '' : ` ${change >= 0 ? '+' : '−'}${Math.abs(change).toFixed(2)}`;
      const bar = svgElement('svg', { 'aria-hidden': 'true' });
      bar.append(
        svgElement('rect', { class: 'track', width: '100%', height: 10 }),
        svgElement('rect', { class: at === this.view.label ? 'hold' : 'hit', width: `${100 * p}%`, height: 10 }),
      );
      const figure = element('span', 'figure', p.toFixed(2), element('small', '', moved));
      return element('li', '', element('span', 'name', name), bar, figure);
    }

    drawAnswers() {
      const { tokens, probabilities, without, labels } = this.view;
      const { absent } = this;
      const left = absent === null ? probabilities : (without[absent] ?? probabilities);
      const word = tokens.map(({ text, slot }) => (slot === absent ? text : '')).join('');
      this.parts.answers.replaceChildren(
        element('p', '', absent === null ? 'The whole text' : `Without “${word}”`),
        element('ul', '', ...labels.map((name, at) => this.answer(name, at, left[at] ?? 0))),
      );
    }

    draw() {
      this.drawLines();
      this.drawTokens();
      this.drawAnswers();
    }
  }

  /** Buttons of which one is pressed. @param {HTMLElement} root @param {string} group @param {(value: string) => void} choose */
  const choices = (root, group, choose) => {
    const buttons = root.querySelectorAll(`[data-${group}]`);
    for (const button of buttons) {
      button.addEventListener('click', () => {
        for (const each of buttons) each.setAttribute('aria-pressed', String(each === button));
        choose(button.getAttribute(`data-${group}`) ?? '');
      });
    }
  };

  /** @param {Element} root */
  const openView = (root) => {
    if (!(root instanceof HTMLElement)) return;
    const carried = document.getElementById(`attention-${root.dataset.view}`);
    const answers = root.querySelector('.answers');
    const lines = root.querySelector('.lines');
    const [to, from] = [root.querySelector('.to'), root.querySelector('.from')];
    if (carried === null || answers === null || lines === null || to === null || from === null) return;
    const view = new AttentionView(JSON.parse(carried.textContent ?? ''), { answers, lines, to, from });
    choices(root, 'layer', (value) => view.update({ layer: Number(value) }));
    choices(root, 'head', (value) => view.update({ head: value === 'mean' ? 'mean' : Number(value) }));
    root.hidden = false;
    view.draw();
    addEventListener('resize', () => view.drawLines());
  };

  const openAll = () => {
    for (const root of document.querySelectorAll('.attention[hidden]')) openView(root);
  };
  openAll();
  // Views that come later, as the answer to a question.
  addEventListener('robust-added', openAll);
}
