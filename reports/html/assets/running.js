// Follows the run that was started here; its report opens by itself.
{
  const words = by('progress-words', HTMLElement);
  const bar = by('progress', HTMLProgressElement);
  const stop = by('stop', HTMLButtonElement);
  const events = new EventSource('/live/running');
  events.addEventListener('state', ({ data }) => {
    /** @type {{ status: string, words: string, share?: number, run?: string }} */
    const state = JSON.parse(data);
    words.textContent = state.words;
    if (state.share !== undefined) bar.value = state.share;
    if (state.status === 'running') return;
    events.close();
    stop.disabled = true;
    bar.hidden = true;
    if (state.status === 'done') location.assign(`/runs/${state.run}`);
  });
  events.addEventListener('error', () => {
    if (events.readyState === EventSource.CLOSED) words.textContent = 'robust ui does not answer. Is it still running?';
  });
}
