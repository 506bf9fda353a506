/** Maximum number of entries of a long list in one call. */
const maxSize = 1000;

/** Cuts a list into portions that a command can take as its arguments, or into smaller ones. */
export function* portions<Entry>(list: readonly Entry[], size = maxSize): Generator<readonly Entry[]> {
  for (let from = 0; from < list.length; from += size) yield list.slice(from, from + size);
}
