import type { ListKey, RecordKey } from '../records/keys.ts';
import type { EntryOf, RecordOf } from '../records/records.ts';
import type { RunLimits } from './run-limits.ts';
import { assertWithinLimits } from './run-limits.ts';
import { RunRecords } from './run-records.ts';

/** One write to the state of a run. The store executes it as it is; see records.ts for the keys. */
export type Write =
  | { readonly type: 'set'; readonly key: RecordKey; readonly value: unknown }
  | { readonly type: 'delete'; readonly key: RecordKey }
  | { readonly type: 'append'; readonly key: ListKey; readonly entries: readonly unknown[] }
  /** Keeps only the newest `keep` entries; 0 removes the list. */
  | { readonly type: 'trim'; readonly key: ListKey; readonly keep: number };

/** Read access to a run's state. */
export interface StateView {
  get<K extends RecordKey>(key: K): RecordOf<K> | undefined;
  list<K extends ListKey>(key: K): readonly EntryOf<K>[];
  /** Yields the keys of the records that begin with this prefix. */
  keys(prefix: string): Iterable<RecordKey>;
}

const empty: readonly unknown[] = [];

/** The state of one run in memory, as of its last commit. */
export class State implements StateView {
  readonly records: RunRecords;
  readonly lists = new Map<ListKey, unknown[]>();

  constructor(records = new RunRecords()) {
    this.records = records;
  }

  get<K extends RecordKey>(key: K): RecordOf<K> | undefined {
    // The key's type names the record's type, and only `set` with that pair writes it.
    return this.records.get(key) as RecordOf<K> | undefined;
  }

  list<K extends ListKey>(key: K): readonly EntryOf<K>[] {
    return (this.lists.get(key) ?? empty) as readonly EntryOf<K>[];
  }

  keys(prefix: string): Iterable<RecordKey> {
    return this.records.keys(prefix);
  }

  /** Returns a copy that this one does not change: records and entries are never changed, only replaced. */
  copy(): State {
    const copy = new State(this.records.copy());
    for (const [key, entries] of this.lists) copy.lists.set(key, entries.slice());
    return copy;
  }

  apply(writes: readonly Write[]): void {
    for (const write of writes) this.#write(write);
  }

  #write(write: Write): void {
    switch (write.type) {
      case 'set':
        this.records.set(write.key, write.value);
        return;
      case 'delete':
        this.records.delete(write.key);
        return;
      case 'append': {
        const list = this.lists.get(write.key);
        if (list === undefined) this.lists.set(write.key, [...write.entries]);
        else for (const entry of write.entries) list.push(entry);
        return;
      }
      case 'trim': {
        const list = this.lists.get(write.key);
        if (list === undefined || list.length <= write.keep) return;
        if (write.keep === 0) this.lists.delete(write.key);
        else list.splice(0, list.length - write.keep);
        return;
      }
    }
  }
}

interface ListChange {
  /** Number of the underlying entries that remain, counted from the newest. */
  kept: number;
  appended: unknown[];
}

/**
 * Changes on top of an unchanged state. Commands are decided on a draft, so that a refused commit leaves nothing
 * behind; `writes()` is the net effect: entries that are appended and removed within one commit cost nothing.
 */
export class Draft implements StateView {
  readonly #base: StateView;
  readonly #limits: RunLimits | undefined;
  readonly #records = new Map<RecordKey, unknown>();
  /** Created with the first change of a list: most commands of steps change none. */
  #lists: Map<ListKey, ListChange> | undefined;

  /** With limits, a list that becomes too long throws; committed events are folded without limits. */
  constructor(base: StateView, limits?: RunLimits) {
    this.#base = base;
    this.#limits = limits;
  }

  get<K extends RecordKey>(key: K): RecordOf<K> | undefined {
    if (this.#records.has(key)) return this.#records.get(key) as RecordOf<K> | undefined;
    return this.#base.get(key);
  }

  *keys(prefix: string): Iterable<RecordKey> {
    for (const key of this.#base.keys(prefix)) if (!this.#records.has(key)) yield key;
    for (const [key, value] of this.#records) if (value !== undefined && key.startsWith(prefix)) yield key;
  }

  set<K extends RecordKey>(key: K, value: RecordOf<K>): void {
    this.#records.set(key, value);
  }

  delete(key: RecordKey): void {
    this.#records.set(key, undefined);
  }

  list<K extends ListKey>(key: K): readonly EntryOf<K>[] {
    const base = this.#base.list(key);
    const change = this.#lists?.get(key);
    if (change === undefined) return base;
    const kept = change.kept === base.length ? base : base.slice(base.length - change.kept);
    return change.appended.length === 0 ? kept : [...kept, ...(change.appended as EntryOf<K>[])];
  }

  size(key: ListKey): number {
    const change = this.#lists?.get(key);
    return change === undefined ? this.#base.list(key).length : change.kept + change.appended.length;
  }

  append<K extends ListKey>(key: K, entries: readonly EntryOf<K>[]): void {
    const change = this.#change(key);
    this.assertFits(key, change.kept + change.appended.length + entries.length);
    for (const entry of entries) change.appended.push(entry);
  }

  /** Throws NodeError if a list would be longer than its limit. */
  assertFits(key: ListKey, size: number): void {
    if (this.#limits !== undefined) assertWithinLimits(this.#limits, key, size);
  }

  /** Keeps only the newest `keep` entries. */
  trim(key: ListKey, keep: number): void {
    if (this.size(key) <= keep) return;
    const change = this.#change(key);
    if (change.appended.length > keep) change.appended = keep === 0 ? [] : change.appended.slice(-keep);
    change.kept = Math.min(change.kept, keep - change.appended.length);
  }

  writes(): Write[] {
    const writes: Write[] = [];
    for (const [key, value] of this.#records) {
      const before: unknown = this.#base.get(key);
      if (value === undefined && before !== undefined) writes.push({ type: 'delete', key });
      else if (value !== undefined && !isSame(before, value)) writes.push({ type: 'set', key, value });
    }
    for (const [key, change] of this.#lists ?? []) {
      if (change.kept < this.#base.list(key).length) writes.push({ type: 'trim', key, keep: change.kept });
      if (change.appended.length > 0) writes.push({ type: 'append', key, entries: change.appended });
    }
    return writes;
  }

  /** Applies the changes of a draft that was made on top of this one. */
  merge(inner: Draft): void {
    for (const [key, value] of inner.#records) this.#records.set(key, value);
    for (const [key, change] of inner.#lists ?? []) {
      this.trim(key, change.kept);
      // The inner draft typed its entries by the same key.
      this.append(key, change.appended as EntryOf<typeof key>[]);
    }
  }

  #change(key: ListKey): ListChange {
    this.#lists ??= new Map();
    let change = this.#lists.get(key);
    if (change === undefined) {
      change = { kept: this.#base.list(key).length, appended: [] };
      this.#lists.set(key, change);
    }
    return change;
  }
}

/** Compares two records shallowly; a wrong "no" costs one needless write. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  // Number of fields that only the first record has, or with a minus, that only the second one has.
  let surplus = 0;
  for (const key in a) {
    if (!(key in b) || Reflect.get(a, key) !== Reflect.get(b, key)) return false;
    surplus += 1;
  }
  for (const _key in b) surplus -= 1;
  return surplus === 0;
}
