// Tables and outcomes as CSV, charts as PNG and SVG: made in the page, from what the page shows.
{
  /** The start of a formula for spreadsheets, as in reports/csv.ts. */
  const FORMULA = /^\s*[=+\-@＝＋－＠]/;
  const AFTER_SEMICOLON = /(?<=;\s*)(?=[=@＝＠]|[+\-＋－][\s\w(])/g;

  /** @param {string | number} value */
  const cell = (value) => {
    if (typeof value === 'number') return String(value);
    const shown = value.replace(/\s+/g, ' ').trim().replace(AFTER_SEMICOLON, "'");
    // A figure with its sign is no formula.
    const safe = FORMULA.test(shown) && !/^[+-]?\d[\d.]*( %)?$/.test(shown) ? `'${shown}` : shown;
    return /[",;]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };

  /** @param {string} name @param {Blob} blob */
  const save = (name, blob) => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name.replace(/[^\p{L}\p{N}.-]+/gu, '-').replace(/^-|-(?=\.)/g, '');
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  };

  /** @param {string} name @param {(string | number)[][]} rows */
  const saveRows = (name, rows) => {
    const text = rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
    // Spreadsheets take a file without this mark for one of their own letters.
    save(`${name}.csv`, new Blob(['\uFEFF', text], { type: 'text/csv' }));
  };

  /** @param {string} kind @param {string} name @param {() => void} act */
  const button = (kind, name, act) => {
    const made = element('button', 'save', kind);
    made.setAttribute('type', 'button');
    made.setAttribute('aria-label', `Download "${name}" as ${kind}`);
    made.addEventListener('click', act);
    return made;
  };

  /** How an element is drawn here, which a picture by itself does not know. */
  const DRAWN = [
    'fill',
    'stroke',
    'stroke-width',
    'stroke-dasharray',
    'opacity',
    'font-family',
    'font-size',
    'font-weight',
  ];

  /** The chart as a file of its own, with its style. @param {SVGSVGElement} svg */
  const pictureOf = (svg) => {
    const copy = /** @type {SVGSVGElement} */ (svg.cloneNode(true));
    const [seen, made] = [svg.querySelectorAll('*'), copy.querySelectorAll('*')];
    seen.forEach((each, at) => {
      const style = getComputedStyle(each);
      made[at]?.setAttribute('style', DRAWN.map((one) => `${one}:${style.getPropertyValue(one)}`).join(';'));
    });
    const { width, height } = svg.viewBox.baseVal;
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    copy.setAttribute('width', String(width));
    copy.setAttribute('height', String(height));
    return new XMLSerializer().serializeToString(copy);
  };

  /** @param {string} name @param {SVGSVGElement} svg */
  const savePng = (name, svg) => {
    const { width, height } = svg.viewBox.baseVal;
    const image = new Image();
    image.addEventListener('load', () => {
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [3 * width, 3 * height];
      const context = canvas.getContext('2d');
      if (context === null) return;
      context.fillStyle = getComputedStyle(document.documentElement).backgroundColor;
      context.fillRect(0, 0, canvas.width, canvas.height);
      context.drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => blob && save(`${name}.png`, blob), 'image/png');
    });
    image.src = `data:image/svg+xml,${encodeURIComponent(pictureOf(svg))}`;
  };

  for (const table of document.querySelectorAll('.scroll table')) {
    if (!(table instanceof HTMLTableElement)) continue;
    const name = table.caption?.textContent ?? 'table';
    const rows = () => [...table.rows].map(({ cells }) => [...cells].map(({ textContent }) => textContent ?? ''));
    table.parentElement?.after(button('CSV', name, () => saveRows(name, rows())));
  }
  for (const chart of document.querySelectorAll('figure.chart')) {
    const [svg, caption] = [chart.querySelector('svg'), chart.querySelector('figcaption')];
    const name = caption?.textContent ?? 'chart';
    if (!(svg instanceof SVGSVGElement)) continue;
    const saveSvg = () => save(`${name}.svg`, new Blob([pictureOf(svg)], { type: 'image/svg+xml' }));
    caption?.after(
      button('SVG', name, saveSvg),
      button('PNG', name, () => savePng(name, svg)),
    );
  }
  addEventListener('robust-save', (event) => {
    if (event instanceof CustomEvent) saveRows(event.detail.name, event.detail.rows);
  });
}
