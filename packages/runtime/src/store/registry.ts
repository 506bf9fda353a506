/** One entry of a register. */
export interface RegisterEntry {
  readonly id: string;
  readonly json: string;
}

/** A change of an entry that nobody else has changed meanwhile. */
export interface CompareAndSet {
  readonly before: string | undefined;
  /** Undefined: there is none any more. */
  readonly after: string | undefined;
}

/** A change of what is kept for a while. */
export interface Swap {
  readonly before: string;
  /** Absent: nothing is kept any more. */
  readonly after?: { readonly text: string; readonly forMs: number };
}

/**
 * What an installation knows beside its runs: API keys, stored workflows and the like. An entry has an id in a register
 * and is a JSON text. Ids and names of registers may hold any character but line breaks.
 */
export interface Registry {
  read(register: string, id: string): Promise<string | undefined>;
  write(register: string, id: string, json: string): Promise<void>;
  /** Writes unless there is an entry; says whether it did. */
  add(register: string, id: string, json: string): Promise<boolean>;
  /** Writes, or removes, if the entry still is what it was read as (undefined: there is none); says whether it did. */
  exchange(register: string, id: string, change: CompareAndSet): Promise<boolean>;
  /** Says whether there was one. */
  remove(register: string, id: string): Promise<boolean>;
  /** Entries in the order of their ids, from behind `after` on (`''`: from the start), at most `limit`. */
  page(register: string, after: string, limit: number): Promise<readonly RegisterEntry[]>;
  /** The names of the registers that begin so, in no order; costs a look at all that there is. */
  named(beginning: string): Promise<readonly string[]>;
  /** Removes all entries but the first `keep`, in the order of their ids. */
  trim(register: string, keep: number): Promise<void>;
  /** Keeps a text for a while, unless one is kept under this name; gives the one that is kept then, if there was one. */
  hold(name: string, text: string, forMs: number): Promise<string | undefined>;
  /** The texts that are kept under these names, undefined where there is none. */
  held(names: readonly string[]): Promise<readonly (string | undefined)[]>;
  /** Keeps another text under a name for a while. */
  replace(name: string, text: string, forMs: number): Promise<void>;
  /** Keeps another text under a name, or none, if the one that is kept still is what it was; says whether it was. */
  swap(name: string, change: Swap): Promise<boolean>;
}
