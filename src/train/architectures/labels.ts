/** Label names as a Hugging Face config.json holds them, for labels in column order. */
export const labelTables = (labels: readonly string[]) => ({
  id2label: Object.fromEntries(labels.map((label, id) => [id, label])),
  label2id: Object.fromEntries(labels.map((label, id) => [label, id])),
});
