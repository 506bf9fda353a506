/** Returns the hint `Did you mean "…"?` for a name that resembles a known one; undefined if none does. */
export function didYouMean(name: string, known: Iterable<string>): string | undefined {
  const nearest = nearestOf(name, known);
  return nearest === undefined ? undefined : `Did you mean "${nearest}"?`;
}

/** Returns the known name with the fewest edits to `name`, if they are few for its length. */
export function nearestOf(name: string, known: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  // Names of one or two letters resemble all others.
  let allowed = wanted.length <= 2 ? 0 : Math.min(3, Math.ceil(wanted.length / 3));
  let nearest: string | undefined;
  for (const candidate of known) {
    if (Math.abs(candidate.length - wanted.length) > allowed) continue;
    const edits = distance(wanted, candidate.toLowerCase());
    if (edits > allowed || (nearest !== undefined && edits === allowed)) continue;
    nearest = candidate;
    allowed = edits;
  }
  return nearest;
}

/** Returns the number of insertions, deletions, replacements and swaps of neighbours between two texts. */
function distance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}

/** Returns names in quotes for a sentence; a long list is shortened. */
export function quotedList(names: readonly string[]): string {
  const shown = names.slice(0, 8).map((name) => `"${name}"`);
  return names.length > shown.length ? `${shown.join(', ')} and ${names.length - shown.length} more` : shown.join(', ');
}
