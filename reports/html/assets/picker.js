// Finds attacks among those of a form by their names and what they do.
for (const picker of document.querySelectorAll('.picker')) {
  const search = picker.querySelector('input[type=search]');
  if (!(search instanceof HTMLInputElement)) continue;
  search.addEventListener('input', () => {
    const words = search.value.toLowerCase().split(/\s+/);
    for (const group of picker.querySelectorAll('fieldset')) {
      const labels = [...group.querySelectorAll('label')];
      for (const label of labels) {
        const text = `${group.querySelector('legend')?.textContent} ${label.textContent}`.toLowerCase();
        label.hidden = !words.every((word) => text.includes(word));
      }
      group.hidden = labels.every(({ hidden }) => hidden);
    }
  });
  // Enter in the search must not send the form.
  search.addEventListener('keydown', (event) => event.key === 'Enter' && event.preventDefault());
}
