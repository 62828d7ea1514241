// Switches between the system's colours, dark and light, and remembers the choice where the browser lets it.
{
  const button = /** @type {HTMLButtonElement} */ (document.getElementById('theme'));
  const choices = ['', 'dark', 'light'];
  const names = ['system', 'dark', 'light'];
  let kept = '';
  try {
    kept = localStorage.getItem('robust-theme') ?? '';
  } catch {
    // Files opened from a disk may have no storage.
  }
  let chosen = Math.max(0, choices.indexOf(kept));
  const show = () => {
    document.documentElement.dataset.theme = choices[chosen];
    button.textContent = `Theme: ${names[chosen]}`;
  };
  button.addEventListener('click', () => {
    chosen = (chosen + 1) % choices.length;
    show();
    try {
      localStorage.setItem('robust-theme', choices[chosen] ?? '');
    } catch {
      // As above: the choice lasts as long as the page.
    }
  });
  button.hidden = false;
  show();
}
