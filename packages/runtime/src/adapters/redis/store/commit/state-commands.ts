import type { ListKey, RecordKey, RunRecord, StateView, Write } from '@millrace/core';
import type { RunKeys } from '../../location/keys.ts';
import { isMessageList, listOf } from '../../location/keys.ts';
import type { CommandList } from './command-list.ts';
import { countsOf, hasSameRest, restOf, textOfRecord, usageOf } from './stored-records.ts';

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
      this.#setRun(value as RunRecord); // the key names the type
      return;
    }
    this.#fields.set(key, textOfRecord(key, value));
  }

  #setRun(record: RunRecord): void {
    const before = this.#before.get('run');
    if (before === undefined || !hasSameRest(before, record)) this.#fields.set('run', restOf(record));
    this.#fields.set('counts', countsOf(record));
    if (record.usage === before?.usage) return;
    const usage = usageOf(record);
    if (usage !== null || before !== undefined) this.#fields.set('usage', usage);
  }

  deleteRecord(key: RecordKey): void {
    this.#fields.set(key, null);
    if (key === 'run') for (const field of ['counts', 'usage']) this.#fields.set(field, null);
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
    const { state } = this.#run;
    // It sets the version, too, so that it is executed even if there is nothing to be set.
    if (set.length === 0) this.#list.addPlain('HSET', state, []);
    this.#list.add('HSET', state, set);
    this.#list.add('HDEL', state, removed);
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
