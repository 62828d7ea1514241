// Makes tables sortable: a click on a title sorts by that column, a second one reverses the order.
for (const table of document.querySelectorAll('table[data-sortable]')) {
  if (!(table instanceof HTMLTableElement)) continue;
  const [body] = table.tBodies;
  const titles = [...(table.tHead?.rows[0]?.cells ?? [])];
  /** The number that a cell begins with, else its text. @param {HTMLTableRowElement} row @param {number} at */
  const keyOf = (row, at) => {
    const text = row.cells[at]?.textContent?.trim() ?? '';
    const number = Number.parseFloat(text);
    return Number.isNaN(number) ? text.toLowerCase() : number;
  };
  /** @param {string | number} a @param {string | number} b Numbers come before texts. */
  const compare = (a, b) => {
    if (typeof a === 'number' && typeof b === 'number') return a - b;
    if (typeof a === typeof b) return a < b ? -1 : Number(a > b);
    return typeof a === 'number' ? -1 : 1;
  };
  titles.forEach((title, at) => {
    const button = element('button', 'sort', ...title.childNodes);
    button.setAttribute('type', 'button');
    button.addEventListener('click', () => {
      const down = title.ariaSort !== 'descending';
      for (const each of titles) each.ariaSort = each === title ? (down ? 'descending' : 'ascending') : null;
      const sign = down ? -1 : 1;
      const rows = [...(body?.rows ?? [])].sort((a, b) => sign * compare(keyOf(a, at), keyOf(b, at)));
      body?.append(...rows);
    });
    title.append(button);
  });
}
