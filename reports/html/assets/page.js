// Script of every page: the theme switch and the keys. Both choices are kept if the browser allows storage.
{
  /** @param {string} name */
  const recall = (name) => {
    try {
      return localStorage.getItem(name) ?? '';
    } catch {
      // Files opened from a disk may have no storage.
      return '';
    }
  };
  /** @param {string} name @param {string} value */
  const keep = (name, value) => {
    try {
      localStorage.setItem(name, value);
    } catch {
      // The choice then lasts as long as the page.
    }
  };

  const button = /** @type {HTMLButtonElement} */ (document.getElementById('theme'));
  const choices = ['', 'dark', 'light'];
  let chosen = Math.max(0, choices.indexOf(recall('robust-theme')));
  const show = () => {
    document.documentElement.dataset.theme = choices[chosen];
    button.textContent = `Theme: ${choices[chosen] || 'system'}`;
  };
  button.addEventListener('click', () => {
    chosen = (chosen + 1) % choices.length;
    show();
    keep('robust-theme', choices[chosen] ?? '');
  });
  button.hidden = false;
  show();

  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById('keys'));
  const help = /** @type {HTMLButtonElement} */ (document.getElementById('show-keys'));
  const on = /** @type {HTMLInputElement} */ (document.getElementById('keys-on'));
  on.checked = recall('robust-keys') !== 'off';
  on.addEventListener('change', () => keep('robust-keys', on.checked ? 'on' : 'off'));
  help.hidden = false;
  help.addEventListener('click', () => dialog.showModal());
  document.getElementById('hide-keys')?.addEventListener('click', () => dialog.close());

  /** @param {string} selector @returns {HTMLElement[]} */
  const visible = (selector) =>
    [...document.querySelectorAll(selector)].flatMap((each) =>
      each instanceof HTMLElement && each.checkVisibility() ? [each] : [],
    );
  /** Moves the focus to the next or the previous text or row. @param {number} by */
  const step = (by) => {
    const items = visible('.texts > li, tbody tr');
    const at = items.findIndex((item) => item.contains(document.activeElement));
    const top = items.findIndex((item) => item.getBoundingClientRect().top > 0);
    const next = items[at < 0 ? Math.max(0, top) : at + by];
    if (next === undefined) return;
    next.tabIndex = -1;
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: 'nearest' });
  };
  /** @type {Record<string, () => void>} */
  const actions = {
    '?': () => dialog.showModal(),
    '/': () => visible('input[type=search]')[0]?.focus(),
    j: () => step(1),
    k: () => step(-1),
  };
  addEventListener('keydown', (event) => {
    const typing =
      event.target instanceof Element && event.target.matches('input:not([type=checkbox]), textarea, select');
    const act = actions[event.key];
    if (typing || act === undefined || event.ctrlKey || event.metaKey || event.altKey || dialog.open || !on.checked)
      return;
    event.preventDefault();
    act();
  });
}
