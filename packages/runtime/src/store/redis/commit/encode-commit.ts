import type { Decision, Event, RecordKey, Write } from '@millrace/core';
import { agendaItemId } from '@millrace/core';
import type { Keys, RunKeys } from '../../keys.ts';
import { fieldOf, isOfRun, listOf } from '../../keys.ts';
import type { Commit, StartAssumptions } from '../../port.ts';
import type { AssumedKey, CommandList, ScriptCall } from './command-list.ts';
import { commandList } from './command-list.ts';
import { indexCommands } from './run-index.ts';
import { addUsage } from './usage-commands.ts';

/** A commit as the journal stores it, in one entry under the id `<version>-0`; its events are `<version>-0`, `-1` and so on. */
export interface StoredCommit {
  readonly at: number;
  readonly nonce: string;
  readonly events: readonly Event[];
}

/** Maximum number of missed commits in a reply; a process that is further behind loads the run again. */
export const missedLimit = 5000;

/** A commit as keys and arguments of commit.lua. A wake is overdue `graceMs` after the commit that asked for it. */
export function encodeCommit(commit: Commit, keys: Keys, graceMs: number): ScriptCall {
  const run = keys.run(commit.run);
  const version = commit.version + 1;
  const list = commandList(run, {
    version: commit.version,
    nonce: commit.nonce,
    next: commit.next,
    missed: missedLimit,
    format: keys.format,
    assumed: assumedKeys(keys, commit.assumes),
  });
  const stored: StoredCommit = { at: commit.at, nonce: commit.next, events: commit.decision.events };
  list.add('XADD', run.journal, [`${version}-0`, 'commit', JSON.stringify(stored)]);
  const bodies = commit.decision.bodies.flatMap(({ id, body }) => [id, JSON.stringify(body)]);
  list.add('HSET', run.messages, bodies);
  const begins = commit.version === 0 ? { format: String(keys.format) } : {};
  const heading = { version: String(version), nonce: commit.next, ...begins };
  addWrites(list, run, { writes: commit.decision.writes, heading });
  for (const { store, limit, memory } of commit.decision.memory) {
    list.addPlain('XADD', keys.memory(store), ['MAXLEN', '=', String(limit), '*', 'memory', JSON.stringify(memory)]);
    if (isOfRun(store)) list.add('SADD', run.memories, [store]);
  }
  addAgenda(list, keys.agenda, { decision: commit.decision, overdue: commit.at + graceMs });
  for (const entry of commit.outboxEntries ?? []) {
    list.addPlain('XADD', keys.outbox, ['*', 'run', commit.run, 'entry', entry]);
  }
  for (const [command, key, values] of indexCommands(keys, commit)) list.add(command, key, values);
  addUsage(list, keys, commit);
  return list;
}

function assumedKeys(keys: Keys, assumes: StartAssumptions | undefined): readonly AssumedKey[] {
  if (assumes === undefined) return [];
  const { plan, text, register } = assumes;
  return [
    { key: keys.plan(plan), exists: true },
    ...(text === undefined ? [] : [{ key: keys.text(text), exists: true }]),
    { key: keys.register(register.name), exists: register.hasEntries },
  ];
}

/** New values of fields by hash; null removes the field. */
type FieldChanges = Map<string, Map<string, string | null>>;

interface StateChange {
  readonly writes: readonly Write[];
  /** Fields of the state hash that are no records. */
  readonly heading: Readonly<Record<string, string>>;
}

function addWrites(list: CommandList, run: RunKeys, { writes, heading }: StateChange): void {
  const changes: FieldChanges = new Map([[run.state, new Map(Object.entries(heading))]]);
  const change = (hash: string, field: string, value: string | null): void => {
    const fields = changes.get(hash);
    if (fields === undefined) changes.set(hash, new Map([[field, value]]));
    else fields.set(field, value);
  };
  const setField = (key: RecordKey, value: string | null): void => {
    const { hash, field } = fieldOf(run, key);
    change(hash, field, value);
    if (hash !== run.state) change(run.state, key, value === null ? null : '');
  };
  for (const write of writes) {
    switch (write.type) {
      case 'set':
        setField(write.key, JSON.stringify(write.value));
        break;
      case 'delete':
        setField(write.key, null);
        break;
      case 'append':
        if (write.entries.length === 0) break;
        list.add(
          'RPUSH',
          listOf(run, write.key),
          write.entries.map((entry) => JSON.stringify(entry)),
        );
        change(run.state, write.key, '');
        break;
      case 'trim':
        if (write.keep > 0) {
          list.add('LTRIM', listOf(run, write.key), [String(-write.keep), '-1']);
          break;
        }
        list.addPlain('DEL', listOf(run, write.key), []);
        change(run.state, write.key, null);
        break;
    }
  }
  for (const [hash, fields] of changes) addFields(list, hash, fields);
}

function addFields(list: CommandList, hash: string, fields: ReadonlyMap<string, string | null>): void {
  const pairs: string[] = [];
  const removed: string[] = [];
  for (const [field, value] of fields) {
    if (value === null) removed.push(field);
    else pairs.push(field, value);
  }
  list.add('HSET', hash, pairs);
  list.add('HDEL', hash, removed);
}

interface AgendaChange {
  readonly decision: Pick<Decision, 'wakes' | 'later' | 'settled'>;
  /** Time at which a wake is overdue. */
  readonly overdue: number;
}

function addAgenda(list: CommandList, agenda: string, { decision, overdue }: AgendaChange): void {
  list.add('ZADD', agenda, [
    ...decision.wakes.flatMap((wake) => [String(overdue), agendaItemId(wake)]),
    ...decision.later.flatMap(({ due, at }) => [String(at), agendaItemId(due)]),
  ]);
  list.add('ZREM', agenda, decision.settled.map(agendaItemId));
}
