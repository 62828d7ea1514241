// Single keys for a reader: the number of an answer, n for a note, u to take the last answer back, q to stop, Enter to save.
{
  const on = by('keys-on', HTMLInputElement);
  /** @param {string} key @returns {HTMLElement | null} */
  const meantBy = (key) => document.querySelector(`[aria-keyshortcuts="${key}"]`);
  addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || !on.checked) return;
    if (target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type === 'text')) {
      if (key === 'Escape') target.blur();
      return;
    }
    // Elsewhere the browser has its own Enter.
    if (key === 'Enter' ? target !== document.body : !/^[0-9a-z]$/i.test(key)) return;
    const found = meantBy(key.length === 1 ? key.toLowerCase() : key);
    if (found === null) return;
    event.preventDefault();
    found.closest('details')?.setAttribute('open', '');
    found.focus();
    if (!(found instanceof HTMLTextAreaElement)) found.click();
  });
}
