import type { ListKey, RecordKey, RunRecord, StateView, Write } from '@millrace/core';
import type { RunKeys } from '../../location/keys.ts';
import { isMessageList, listOf } from '../../location/keys.ts';
import type { CommandList } from './command-list.ts';

/** Change of the state of a run. */
export interface StateChange {
  readonly writes: readonly Write[];
  /** The state before. */
  readonly before: StateView;
  /** Fields of the state hash that are no records, and their values, in turn. */
  readonly heading: readonly string[];
}

type ListWrite = Extract<Write, { type: 'append' | 'trim' }>;

/** Adds the commands that change the state of a run. */
export function addState(list: CommandList, run: RunKeys, { writes, before, heading }: StateChange): void {
  const commands = new StateCommands(list, run, before);
  for (const write of writes) {
    if (write.type === 'set') commands.setRecord(write.key, write.value);
    else if (write.type === 'delete') commands.deleteRecord(write.key);
    else if (isMessageList(write.key)) commands.changeMessages(write);
    else commands.changeList(write);
  }
  commands.addFields(heading);
}

/** Change of a list of messages. */
interface MessagesChange {
  readonly before: readonly unknown[];
  /** Number of the entries before that remain, counted from the newest. */
  kept: number;
  appended: unknown[];
}

/** Commands that change the state of a run. The fields of its hash are changed by the last ones. */
class StateCommands {
  readonly #list: CommandList;
  readonly #run: RunKeys;
  readonly #before: StateView;
  /** New values of fields; null removes a field, and that of a list of messages follows from its change. */
  readonly #fields = new Map<string, string | null | MessagesChange>();

  constructor(list: CommandList, run: RunKeys, before: StateView) {
    this.#list = list;
    this.#run = run;
    this.#before = before;
  }

  setRecord(key: RecordKey, value: unknown): void {
    if (key === 'run') {
      const record = value as RunRecord; // the key names the type
      const before = this.#before.get('run');
      if (before === undefined || !hasSameRest(before, record)) this.#fields.set(key, restOf(record));
      this.#fields.set(countsField, countsOf(record));
      return;
    }
    this.#fields.set(key, JSON.stringify(value));
  }

  deleteRecord(key: RecordKey): void {
    this.#fields.set(key, null);
    if (key === 'run') this.#fields.set(countsField, null);
  }

  /** Changes a list with a key of its own. */
  changeList(write: ListWrite): void {
    const { key } = write;
    const place = listOf(this.#run, key);
    if (write.type === 'append') {
      this.#push(place, write.entries);
      if (write.entries.length > 0) this.#fields.set(key, '');
    } else if (write.keep > 0) {
      this.#list.addPlain('LTRIM', place, [String(-write.keep), '-1']);
    } else {
      this.#list.addPlain('DEL', place, []);
      this.#fields.set(key, null);
    }
  }

  changeMessages(write: ListWrite): void {
    const change = this.#messagesOf(write.key);
    if (write.type === 'append') {
      for (const entry of write.entries) change.appended.push(entry);
      return;
    }
    const { keep } = write;
    if (change.appended.length > keep) change.appended = keep === 0 ? [] : change.appended.slice(-keep);
    change.kept = Math.min(change.kept, keep - change.appended.length);
  }

  /** Adds the changes of fields, after the heading. */
  addFields(heading: readonly string[]): void {
    const set = [...heading];
    const removed: string[] = [];
    for (const [field, change] of this.#fields) {
      const value =
        typeof change === 'object' && change !== null ? this.#addMessages(field as ListKey, change) : change;
      if (value === null) removed.push(field);
      else if (value !== undefined) set.push(field, value);
    }
    this.#list.add('HSET', this.#run.state, set);
    this.#list.add('HDEL', this.#run.state, removed);
  }

  #messagesOf(key: ListKey): MessagesChange {
    const known = this.#fields.get(key);
    if (typeof known === 'object' && known !== null) return known;
    const before = this.#before.list(key);
    const change: MessagesChange = { before, kept: before.length, appended: [] };
    this.#fields.set(key, change);
    return change;
  }

  /**
   * Adds the changes of a list of messages, which is in its field while it has one entry, and has a key of its own while
   * it has more. Returns the new value of the field; null removes it, and undefined leaves it as it is.
   */
  #addMessages(key: ListKey, { before, kept, appended }: MessagesChange): string | null | undefined {
    const size = kept + appended.length;
    const isApart = before.length > 1;
    if (isApart && (kept === 0 || size === 1)) this.#list.addPlain('DEL', listOf(this.#run, key), []);
    else if (isApart && kept < before.length)
      this.#list.addPlain('LTRIM', listOf(this.#run, key), [String(-kept), '-1']);
    if (size === 0) return before.length === 0 ? undefined : null;
    if (size === 1) return JSON.stringify(appended.length === 1 ? appended[0] : before.at(-1));
    this.#push(listOf(this.#run, key), isApart ? appended : [...before.slice(before.length - kept), ...appended]);
    return isApart ? undefined : '';
  }

  #push(place: string, entries: readonly unknown[]): void {
    this.#list.add(
      'RPUSH',
      place,
      entries.map((entry) => JSON.stringify(entry)),
    );
  }
}

/** Numbers of a run that nearly every commit changes; they have a field of their own, in this order. */
const counted = [
  'nextActivation',
  'nextMessage',
  'nextScope',
  'nextArrival',
  'live',
  'waiting',
  'activations',
] as const satisfies readonly (keyof RunRecord)[];

const isCounted: ReadonlySet<string> = new Set(counted);

/** Field of those numbers in the state hash. */
export const countsField = 'counts';

/** Returns the value of that field. */
const countsOf = (record: RunRecord): string => JSON.stringify(counted.map((name) => record[name]));

/** Returns the value of the field with all that is not counted. */
const restOf = (record: RunRecord): string =>
  JSON.stringify(Object.fromEntries(Object.entries(record).filter(([name]) => !isCounted.has(name))));

/** Returns the record of a run from its fields. */
export function runFromFields(run: string, counts: string): RunRecord {
  const rest = JSON.parse(run) as RunRecord; // written by restOf
  const numbers = JSON.parse(counts) as number[]; // written by countsOf
  return { ...rest, ...Object.fromEntries(counted.map((name, at) => [name, numbers[at]])) };
}

/** Returns whether two records of a run differ in nothing but those numbers. */
function hasSameRest(before: RunRecord, record: RunRecord): boolean {
  // Number of fields that only the first record has, or with a minus, that only the second one has.
  let surplus = 0;
  for (const name in record) {
    if (!isCounted.has(name) && Reflect.get(record, name) !== Reflect.get(before, name)) return false;
    surplus += 1;
  }
  for (const _name in before) surplus -= 1;
  return surplus === 0;
}
