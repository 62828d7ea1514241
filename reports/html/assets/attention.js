// Draws the attention of a layer and head between two columns of tokens, and what the model says without a word. All of it was computed beforehand.
{
  /** @typedef {{ tokens: { text: string, slot: number | null }[], layers: number, heads: number, weights: number[][][][], without: number[][], probabilities: number[], labels: string[], label: number }} View */

  const SVG = 'http://www.w3.org/2000/svg';

  /** @param {Element} root */
  const drawView = (root) => {
    if (!(root instanceof HTMLElement)) return;
    const carried = document.getElementById(`attention-${root.dataset.view}`);
    const answers = root.querySelector('.answers');
    const lines = root.querySelector('.lines');
    const [to, from] = [root.querySelector('.to'), root.querySelector('.from')];
    if (carried === null || answers === null || lines === null || to === null || from === null) return;
    /** @type {View} */
    const view = JSON.parse(carried.textContent ?? '');
    const count = view.tokens.length;
    let layer = view.layers - 1;
    /** @type {number | 'mean'} */
    let head = 'mean';
    /** The place whose lines are shown alone. @type {number | undefined} */
    let shown;
    /** The word left out. @type {number | null} */
    let absent = null;

    /** Attention from place a to place b. @param {number} a @param {number} b */
    const weight = (a, b) => {
      const heads = view.weights[layer] ?? [];
      const chosen = head === 'mean' ? heads : [heads[head]];
      return chosen.reduce((sum, one) => sum + (one?.[a]?.[b] ?? 0), 0) / chosen.length / 1000;
    };

    /** A token to point at and press. @param {number} at */
    const tokenButton = (at) => {
      const token = view.tokens[at];
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = token?.text ?? '';
      button.setAttribute('aria-pressed', 'false');
      const show = () => {
        shown = at;
        draw();
      };
      const leave = () => {
        shown = undefined;
        draw();
      };
      button.addEventListener('pointerenter', show);
      button.addEventListener('pointerleave', leave);
      button.addEventListener('focus', show);
      button.addEventListener('blur', leave);
      button.addEventListener('click', () => {
        const slot = token?.slot ?? null;
        absent = slot === null || absent === slot ? null : slot;
        draw();
      });
      return button;
    };
    for (let at = 0; at < count; at++) {
      to.append(element('li', '', tokenButton(at)));
      from.append(element('li', '', element('span', '', view.tokens[at]?.text ?? '')));
    }

    const drawLines = () => {
      const height = to.getBoundingClientRect().height;
      lines.setAttribute('viewBox', `0 0 100 ${height}`);
      lines.setAttribute('preserveAspectRatio', 'none');
      lines.replaceChildren();
      const row = height / count;
      /** @type {[number, number, number][]} */
      const drawn = [];
      for (let a = 0; a < count; a++) {
        if (shown !== undefined && a !== shown) continue;
        for (let b = 0; b < count; b++) {
          const w = weight(a, b);
          if (w >= 0.005) drawn.push([a, b, w]);
        }
      }
      // Draws only the strongest lines of all tokens: together they would hide each other.
      if (shown === undefined) drawn.sort((x, y) => y[2] - x[2]).splice(3 * count);
      const most = Math.max(0.01, ...drawn.map(([, , w]) => w));
      for (const [a, b, w] of drawn) {
        const line = document.createElementNS(SVG, 'line');
        const place = { x1: 0, y1: (a + 0.5) * row, x2: 100, y2: (b + 0.5) * row };
        for (const [name, value] of Object.entries(place)) line.setAttribute(name, String(value));
        line.setAttribute('stroke-opacity', String(0.1 + (0.9 * w) / most));
        line.setAttribute('stroke-width', String(0.75 + (2.5 * w) / most));
        line.setAttribute('vector-effect', 'non-scaling-stroke');
        lines.append(line);
      }
    };

    const drawTokens = () => {
      [...to.children].forEach((item, at) => {
        const token = view.tokens[at];
        const out = absent !== null && token?.slot === absent;
        item.classList.toggle('absent', out);
        item.classList.toggle('chosen', shown === at);
        item.firstElementChild?.setAttribute('aria-pressed', String(out));
      });
      [...from.children].forEach((item, at) => {
        const w = shown === undefined ? 0 : weight(shown, at);
        item.className = w < 0.005 ? '' : `seen-${Math.min(5, 1 + Math.floor(w * 8))}`;
        item.classList.toggle('absent', absent !== null && view.tokens[at]?.slot === absent);
        const figure = w < 0.005 ? '' : w.toFixed(2);
        const tail = item.querySelector('small');
        if (tail) tail.textContent = figure;
        else item.append(element('small', '', figure));
      });
    };

    const drawAnswers = () => {
      const now = absent === null ? view.probabilities : (view.without[absent] ?? view.probabilities);
      const word = view.tokens
        .filter(({ slot }) => slot !== null && slot === absent)
        .map(({ text }) => text)
        .join('');
      const before = view.probabilities;
      const list = view.labels.map((name, at) => {
        const [p, was] = [now[at] ?? 0, before[at] ?? 0];
        const bar = document.createElementNS(SVG, 'svg');
        bar.setAttribute('aria-hidden', 'true');
        for (const [kind, width] of [
          ['track', 100],
          [at === view.label ? 'hold' : 'hit', 100 * p],
        ]) {
          const part = document.createElementNS(SVG, 'rect');
          part.setAttribute('class', String(kind));
          part.setAttribute('width', `${width}%`);
          part.setAttribute('height', '10');
          bar.append(part);
        }
        const moved = absent === null ? '' : ` ${p >= was ? '+' : '−'}${Math.abs(p - was).toFixed(2)}`;
        return element(
          'li',
          '',
          element('span', 'name', name),
          bar,
          element('span', 'figure', p.toFixed(2), element('small', '', moved)),
        );
      });
      const title = absent === null ? 'The whole text' : `Without “${word}”`;
      answers.replaceChildren(element('p', '', title), element('ul', '', ...list));
    };

    const draw = () => {
      drawLines();
      drawTokens();
      drawAnswers();
    };

    /** @param {string} group @param {(value: string) => void} choose */
    const choices = (group, choose) => {
      const buttons = root.querySelectorAll(`[data-${group}]`);
      for (const button of buttons) {
        if (!(button instanceof HTMLElement)) continue;
        button.addEventListener('click', () => {
          for (const each of buttons) each.setAttribute('aria-pressed', String(each === button));
          choose(button.dataset[group] ?? '');
          draw();
        });
      }
    };
    choices('layer', (value) => {
      layer = Number(value);
    });
    choices('head', (value) => {
      head = value === 'mean' ? 'mean' : Number(value);
    });
    root.hidden = false;
    draw();
    addEventListener('resize', drawLines);
  };

  const drawAll = () => {
    for (const root of document.querySelectorAll('.attention[hidden]')) drawView(root);
  };
  drawAll();
  // Views that come later, as the answer to a question.
  addEventListener('robust-added', drawAll);
}
