/** Names suggested for a mistyped one. */
const MOST = 3;

/** `Did you mean "x" or "y"?`, or the first known names if none is near: within a third of the longer name's letters. */
export function didYouMean(name: string, known: readonly string[]): string {
  const distances = known.map((each) => {
    const edits = distance(name.toLowerCase(), each.toLowerCase());
    return edits > Math.ceil(Math.max(name.length, each.length) / 3) ? Number.POSITIVE_INFINITY : edits;
  });
  const least = Math.min(...distances);
  const near = known.filter((_, at) => distances[at] === least).slice(0, MOST);
  if (least < Number.POSITIVE_INFINITY) return `Did you mean ${near.map((each) => `"${each}"`).join(' or ')}?`;
  return `Known: ${known.slice(0, MOST).join(', ')} and ${known.length - MOST} others.`;
}

/** Insertions, deletions and substitutions that turn one text into another (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j++) {
      const substituted = row[j]! + (from[i] === to[j] ? 0 : 1);
      next.push(Math.min(substituted, row[j + 1]! + 1, next[j]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
