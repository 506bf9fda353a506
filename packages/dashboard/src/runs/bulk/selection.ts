/** Runs that are selected: some of the list, or all that its filter finds. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly isAll: boolean;
  /** Run that was selected last: where a range begins. */
  readonly last: string | undefined;
}

export const nothingSelected: Selection = { ids: new Set(), isAll: false, last: undefined };

/** Returns the selection with one run more, or less. */
export function toggled({ ids }: Selection, run: string): Selection {
  const changed = new Set(ids);
  if (!changed.delete(run)) changed.add(run);
  return { ids: changed, isAll: false, last: run };
}

/** Returns the selection with all runs between the one that was selected last and another; `runs` are those of the list. */
export function extended(selection: Selection, run: string, runs: readonly string[]): Selection {
  const [from, to] = [runs.indexOf(selection.last ?? run), runs.indexOf(run)].sort((a, b) => a - b);
  if (from === undefined || to === undefined || from < 0) return toggled(selection, run);
  return { ids: new Set([...selection.ids, ...runs.slice(from, to + 1)]), isAll: false, last: run };
}
