import type { ListKey, RecordKey, RunRecord, StateView, Write } from '@millrace/core';
import type { RunKeys } from '../../keys.ts';
import { fieldOf, isMessageList, listOf } from '../../keys.ts';
import type { CommandList } from './command-list.ts';
import { countsField, runFields } from './run-fields.ts';

/** Change of the state of a run. */
export interface StateChange {
  readonly writes: readonly Write[];
  /** The state before. */
  readonly before: StateView;
  /** Fields of the state hash that are no records. */
  readonly heading: Readonly<Record<string, string>>;
}

/** Change of a list of messages. */
interface MessagesChange {
  readonly before: readonly unknown[];
  /** Number of the entries before that remain, counted from the newest. */
  kept: number;
  appended: unknown[];
}

type ListWrite = Extract<Write, { type: 'append' | 'trim' }>;

/** Adds the commands that change the state of a run. */
export function addState(list: CommandList, run: RunKeys, { writes, before, heading }: StateChange): void {
  const fields = new FieldChanges(run);
  const messages = new Map<ListKey, MessagesChange>();
  for (const [field, value] of Object.entries(heading)) fields.set(run.state, field, value);
  for (const write of writes) {
    if (write.type === 'set') setRecord(fields, run, { ...write, before });
    else if (write.type === 'delete') deleteRecord(fields, run, write.key);
    else if (isMessageList(write.key)) changeMessages(messages, before, write);
    else fields.change(run.state, write.key, addListWrite(list, listOf(run, write.key), write));
  }
  for (const [key, change] of messages) fields.change(run.state, key, addMessages(list, listOf(run, key), change));
  fields.addTo(list);
}

/** New values of fields of hashes; null removes a field. */
class FieldChanges {
  readonly #hashes = new Map<string, Map<string, string | null>>();

  constructor(run: RunKeys) {
    this.#hashes.set(run.state, new Map());
  }

  set(hash: string, field: string, value: string | null): void {
    const fields = this.#hashes.get(hash);
    if (fields === undefined) this.#hashes.set(hash, new Map([[field, value]]));
    else fields.set(field, value);
  }

  /** Sets a field unless its value stays, which is undefined then. */
  change(hash: string, field: string, value: string | null | undefined): void {
    if (value !== undefined) this.set(hash, field, value);
  }

  addTo(list: CommandList): void {
    for (const [hash, fields] of this.#hashes) {
      const pairs: string[] = [];
      const removed: string[] = [];
      for (const [field, value] of fields) {
        if (value === null) removed.push(field);
        else pairs.push(field, value);
      }
      list.add('HSET', hash, pairs);
      list.add('HDEL', hash, removed);
    }
  }
}

interface RecordChange {
  readonly key: RecordKey;
  readonly value: unknown;
  readonly before: StateView;
}

function setRecord(fields: FieldChanges, run: RunKeys, { key, value, before }: RecordChange): void {
  if (key === 'run') {
    // The key names the type.
    for (const [field, json] of Object.entries(runFields(value as RunRecord, before.get('run'))))
      fields.set(run.state, field, json);
    return;
  }
  const { hash, field } = fieldOf(run, key);
  fields.set(hash, field, JSON.stringify(value));
  if (hash !== run.state) fields.set(run.state, key, '');
}

function deleteRecord(fields: FieldChanges, run: RunKeys, key: RecordKey): void {
  const { hash, field } = fieldOf(run, key);
  fields.set(hash, field, null);
  if (hash !== run.state) fields.set(run.state, key, null);
  if (key === 'run') fields.set(run.state, countsField, null);
}

/** Adds a write to a list with a key of its own. Returns the new value of its field in the state hash. */
function addListWrite(list: CommandList, place: string, write: ListWrite): string | null | undefined {
  if (write.type === 'append') {
    if (write.entries.length === 0) return undefined;
    list.add(
      'RPUSH',
      place,
      write.entries.map((entry) => JSON.stringify(entry)),
    );
    return '';
  }
  if (write.keep > 0) {
    list.add('LTRIM', place, [String(-write.keep), '-1']);
    return undefined;
  }
  list.addPlain('DEL', place, []);
  return null;
}

function changeMessages(changes: Map<ListKey, MessagesChange>, state: StateView, write: ListWrite): void {
  const before = state.list(write.key);
  const change = changes.get(write.key) ?? { before, kept: before.length, appended: [] };
  changes.set(write.key, change);
  if (write.type === 'append') {
    for (const entry of write.entries) change.appended.push(entry);
    return;
  }
  const { keep } = write;
  if (change.appended.length > keep) change.appended = keep === 0 ? [] : change.appended.slice(-keep);
  change.kept = Math.min(change.kept, keep - change.appended.length);
}

/**
 * Adds the changes of a list of messages, which is in its field while it has one entry, and has a key of its own while
 * it has more. Returns the new value of the field.
 */
function addMessages(list: CommandList, place: string, change: MessagesChange): string | null | undefined {
  const { before, kept, appended } = change;
  const size = kept + appended.length;
  const isApart = before.length > 1;
  if (isApart && (kept === 0 || size === 1)) list.addPlain('DEL', place, []);
  else if (isApart && kept < before.length) list.addPlain('LTRIM', place, [String(-kept), '-1']);
  if (size === 0) return before.length === 0 ? undefined : null;
  if (size === 1) return JSON.stringify(appended.length === 1 ? appended[0] : before.at(-1));
  const pushed = isApart ? appended : [...before.slice(before.length - kept), ...appended];
  list.add(
    'RPUSH',
    place,
    pushed.map((entry) => JSON.stringify(entry)),
  );
  return isApart ? undefined : '';
}
