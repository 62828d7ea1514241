// Helpers for the other scripts of a page to find and create elements; this one precedes them.
// biome-ignore-all lint/correctness/noUnusedVariables: they do.

/** @template {HTMLElement} T @param {string} id @param {new () => T} kind @returns {T} */
const by = (id, kind) => {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new TypeError(`no ${kind.name} "${id}"`);
  return found;
};

/** @param {string} tag @param {string} kind Classes, or ''. @param {...(Node | string)} content Strings become text. */
const element = (tag, kind, ...content) => {
  const made = document.createElement(tag);
  if (kind !== '') made.className = kind;
  made.append(...content);
  return made;
};
