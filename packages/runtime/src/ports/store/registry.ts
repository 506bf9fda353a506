/** One entry of a register. */
export interface RegisterEntry {
  readonly id: string;
  readonly json: string;
}

/** A change of an entry, applied if the entry has not changed meanwhile. */
export interface CompareAndSet {
  readonly before: string | undefined;
  /** Undefined: there is none any more. */
  readonly after: string | undefined;
}

/** A change of a temporary value. */
export interface Swap {
  readonly before: string;
  /** Absent: nothing is kept any more. */
  readonly after?: { readonly text: string; readonly forMs: number };
}

/**
 * Data of an installation beside its runs: API keys, stored workflows and the like. An entry has an id in a register
 * and is a JSON text. Ids and names of registers may contain any character but line breaks.
 */
export interface Registry {
  read(register: string, id: string): Promise<string | undefined>;
  write(register: string, id: string, json: string): Promise<void>;
  /** Writes an entry unless one exists; returns whether it did. */
  add(register: string, id: string, json: string): Promise<boolean>;
  /**
   * Writes, or removes, an entry if it still equals the one that was read (undefined: there is none); returns whether
   * it did.
   */
  exchange(register: string, id: string, change: CompareAndSet): Promise<boolean>;
  /** Says whether there was one. */
  remove(register: string, id: string): Promise<boolean>;
  /** Entries in the order of their ids, from behind `after` on (`''`: from the start): `limit`, and fewer only at the end. */
  page(register: string, after: string, limit: number): Promise<readonly RegisterEntry[]>;
  /** Returns the names of the registers with a prefix, in no order; the cost grows with the number of all keys. */
  named(beginning: string): Promise<readonly string[]>;
  /** Removes all entries but the first `keep`, in the order of their ids. */
  trim(register: string, keep: number): Promise<void>;
  /** Stores a temporary text, unless one exists under this name; returns the existing one, if there was one. */
  hold(name: string, text: string, forMs: number): Promise<string | undefined>;
  /** Returns the temporary texts under these names, undefined where there is none. */
  held(names: readonly string[]): Promise<readonly (string | undefined)[]>;
  /** Replaces a temporary text. */
  replace(name: string, text: string, forMs: number): Promise<void>;
  /** Replaces or removes a temporary text if it still equals the given one; returns whether it did. */
  swap(name: string, change: Swap): Promise<boolean>;
}

/** Name that is held for a while after unneeded contents were swept. */
export const fileSweep = 'sweep/files';
