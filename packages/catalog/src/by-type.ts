interface Named {
  readonly type: string;
  readonly aliases?: readonly string[];
}

/** The definitions under their types and under every alias; an alias leads to the same object. */
export function byType<D extends Named>(definitions: readonly D[]): ReadonlyMap<string, D> {
  const found = new Map<string, D>();
  for (const definition of definitions) {
    for (const name of [definition.type, ...(definition.aliases ?? [])]) {
      if (found.has(name)) throw new Error(`Two definitions claim the type "${name}"`);
      found.set(name, definition);
    }
  }
  return found;
}
