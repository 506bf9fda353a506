import type { Decision } from '@millrace/core';
import { agendaItemId, tenantOf } from '@millrace/core';
import { nextVersion } from '../../../../ports/store/next-version.ts';
import type { Commit, StartPreconditions } from '../../../../ports/store/port.ts';
import { dayMs, startOfDay, usageDays } from '../../../../ports/store/usage.ts';
import type { Keys } from '../../location/keys.ts';
import { isOfRun } from '../../location/keys.ts';
import type { RequiredKey, ScriptCall } from './command-list.ts';
import { CommandList } from './command-list.ts';
import { packCommit } from './journal-commit.ts';
import { indexCommands } from './run-index.ts';
import { addState } from './state-commands.ts';

/** Maximum number of missed commits in a reply; a process that is further behind loads the run again. */
export const missedLimit = 5000;

/** What a store adds to commits. */
export interface CommitAdditions {
  /** Time after its commit at which a wake is overdue, in milliseconds. */
  readonly graceMs: number;
  /** Days of the usage whose expiry is set. */
  readonly expiring: ReadonlySet<string>;
}

/** Returns a commit as a call of commit.lua. */
export function encodeCommit(commit: Commit, keys: Keys, { graceMs, expiring }: CommitAdditions): ScriptCall {
  const run = keys.run(commit.run);
  const version = nextVersion(commit.version, commit.decision.events);
  const list = new CommandList(keys, run, {
    version: commit.version,
    makes: version,
    nonce: commit.nonce,
    next: commit.next,
    missed: missedLimit,
    required: requiredKeys(keys, commit.preconditions),
  });
  const { at, decision } = commit;
  list.addPlain('XADD', run.journal, [packCommit({ at, nonce: commit.next, events: decision.events })]);
  if (decision.bodies.length > 0) {
    const bodies: string[] = [];
    for (const { id, body } of decision.bodies) bodies.push(id, JSON.stringify(body));
    list.add('HSET', run.messages, bodies);
  }
  const heading = commit.version === 0 ? ['format', String(keys.format)] : [];
  addState(list, run, { writes: decision.writes, before: commit.before, heading });
  for (const { store, limit, memory } of decision.memory) {
    list.addPlain('XADD', keys.memory(store), ['MAXLEN', '=', String(limit), '*', 'memory', JSON.stringify(memory)]);
    if (isOfRun(store)) list.add('SADD', run.memories, [store]);
  }
  addAgenda(list, keys.agenda, { decision, overdue: at + graceMs });
  for (const entry of commit.outboxEntries ?? []) {
    list.addPlain('XADD', keys.outbox, ['*', 'run', commit.run, 'entry', entry]);
  }
  for (const [command, key, values] of indexCommands(keys, commit)) list.add(command, key, values);
  const { run: id, usage } = commit;
  addUsage(list, keys, { run: id, usage, expiring });
  return list.call();
}

function requiredKeys(keys: Keys, preconditions: StartPreconditions | undefined): readonly RequiredKey[] {
  if (preconditions === undefined) return [];
  const { plan, text, register } = preconditions;
  return [
    { key: keys.plan(plan), exists: true },
    ...(text === undefined ? [] : [{ key: keys.text(text), exists: true }]),
    { key: keys.register(register.name), exists: register.hasEntries },
  ];
}

interface AgendaChange {
  readonly decision: Pick<Decision, 'wakes' | 'later' | 'settled'>;
  /** Time at which a wake is overdue. */
  readonly overdue: number;
}

function addAgenda(list: CommandList, agenda: string, { decision, overdue }: AgendaChange): void {
  const added: string[] = [];
  for (const wake of decision.wakes) added.push(String(overdue), agendaItemId(wake));
  for (const { due, at } of decision.later) added.push(String(at), agendaItemId(due));
  list.add('ZADD', agenda, added);
  list.add('ZREM', agenda, decision.settled.map(agendaItemId));
}

type UsageChange = Pick<Commit, 'run' | 'usage'> & Pick<CommitAdditions, 'expiring'>;

/** Adds the changes of a commit to the usage by day, which expires. */
function addUsage(list: CommandList, keys: Keys, { run, usage, expiring }: UsageChange): void {
  if (usage === undefined) return;
  const tenant = tenantOf(run);
  for (const { day, field, by } of usage) list.addPlain('HINCRBY', keys.usage(tenant, day), [field, String(by)]);
  for (const day of expiring) {
    const start = startOfDay(day);
    list.addPlain('PEXPIREAT', keys.usage(tenant, day), [String(start + (usageDays + 1) * dayMs)]);
    list.addPlain('ZADD', keys.usageTenants, ['GT', String(start), tenant]);
  }
}
