import type { RecordKey } from '../records/keys.ts';
import { PartedMap } from './parted-map.ts';

const resultPrefix = 'result/';

/** Returns the beginning that the results of the units of one fan-out have in common, `result/<scope>/`. */
const groupOf = (key: RecordKey): string => key.slice(0, key.lastIndexOf('/') + 1);

/**
 * The records of a run by their keys. A large fan-out has hundreds of thousands of results of units, so those of each fan-out are
 * kept apart: whoever looks for other records does not come past them.
 */
export class RunRecords implements Iterable<readonly [RecordKey, unknown]> {
  readonly #results = new Map<string, PartedMap<RecordKey, unknown>>();
  readonly #others = new Map<RecordKey, unknown>();

  get size(): number {
    let { size } = this.#others;
    for (const results of this.#results.values()) size += results.size;
    return size;
  }

  get(key: RecordKey): unknown {
    return key.startsWith(resultPrefix) ? this.#results.get(groupOf(key))?.get(key) : this.#others.get(key);
  }

  set(key: RecordKey, value: unknown): void {
    if (!key.startsWith(resultPrefix)) {
      this.#others.set(key, value);
      return;
    }
    const group = groupOf(key);
    const results = this.#results.get(group) ?? new PartedMap<RecordKey, unknown>();
    results.set(key, value);
    this.#results.set(group, results);
  }

  delete(key: RecordKey): void {
    if (!key.startsWith(resultPrefix)) {
      this.#others.delete(key);
      return;
    }
    const group = groupOf(key);
    const results = this.#results.get(group);
    results?.delete(key);
    if (results?.size === 0) this.#results.delete(group);
  }

  [Symbol.iterator](): Generator<readonly [RecordKey, unknown]> {
    return this.except([]);
  }

  /** Yields all records but the results of these groups, each `result/<scope>/`. */
  *except(groups: readonly string[]): Generator<readonly [RecordKey, unknown]> {
    yield* this.#others;
    for (const [group, results] of this.#results) if (!groups.includes(group)) yield* results;
  }

  /** Returns all records as they are now, in several lists. */
  values(): readonly (readonly unknown[])[] {
    return [[...this.#others.values()], ...[...this.#results.values()].flatMap((results) => results.values())];
  }

  /** Yields the keys that begin with a prefix. */
  *keys(prefix = ''): Generator<RecordKey> {
    for (const key of this.#others.keys()) if (key.startsWith(prefix)) yield key;
    if (!resultPrefix.startsWith(prefix) && !prefix.startsWith(resultPrefix)) return;
    for (const results of this.#results.values())
      for (const key of results.keys()) if (key.startsWith(prefix)) yield key;
  }

  /** Returns a copy that this one does not change: values are never changed, only replaced. */
  copy(): RunRecords {
    const copy = new RunRecords();
    for (const [key, value] of this.#others) copy.#others.set(key, value);
    for (const [group, results] of this.#results) copy.#results.set(group, results.copy());
    return copy;
  }
}
