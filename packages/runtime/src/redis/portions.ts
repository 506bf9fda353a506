/** Maximum number of entries of a long list in one call. */
const size = 1000;

/** Cuts a list into portions that a command can take as its arguments. */
export function* portions<Entry>(list: readonly Entry[]): Generator<readonly Entry[]> {
  for (let from = 0; from < list.length; from += size) yield list.slice(from, from + size);
}
