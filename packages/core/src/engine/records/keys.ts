import type { ActivationId, AlarmId, ScopeId } from '../../model/ids.ts';

/** Keys of records, by kind. */
export type RecordKey =
  | 'run'
  | 'origin'
  | AlarmId
  | `scope/${ScopeId}`
  | `fired/${ScopeId}`
  | `item/${ScopeId}/${number}`
  | `node/${ScopeId}/${string}`
  | `activation/${ActivationId}`
  | `result/${ScopeId}/${number}`
  | `step/${ActivationId}/${number}`
  | `tally/${string}`
  | 'budget'
  | `usage/${string}`
  | `counters/${ScopeId}/${string}`
  | `timers/${ScopeId}/${string}`
  | `controllers/${ScopeId}/${string}`
  | `lasting/${ScopeId}/${string}`
  | WorkspaceLockKey
  /** Of an execution of a graph (no name), or of a named scope in it. */
  | `termination/${ScopeId}/${string}`;

/** The holder of the lock of a graph's workspace. */
export type WorkspaceLockKey = `turn/${ScopeId}`;

/** What waits at a node: messages that only an explicit clear removes, and the others. Oldest first. */
export type InboxKey = `kept/${ScopeId}/${string}` | `recent/${ScopeId}/${string}`;
/** Deliveries to a node that do not count yet: those of siblings still at work in the scope named first. */
export type PendingKey = `pending/${ScopeId}/${ScopeId}/${string}`;
/** The units of a fan-out, in order. */
export type UnitsKey = `units/${ScopeId}`;
/** What a node has produced, for nodes whose graph gives all of it to its caller. */
export type OutputsKey = `outputs/${ScopeId}/${string}`;
/** What the nodes are given that come last in a graph that is being stopped. */
export type ExitsKey = `exits/${ScopeId}`;
/** Where a `close` activation finds what the inner work came to, and an `exit` what it is given. */
export type ResultKey = UnitsKey | OutputsKey | PendingKey | ExitsKey;
/** Items of a graph that nothing holds up any more, in the order in which that came about; consumed from the head. */
export type DueKey = `due/${ScopeId}`;
/** What has become of the files of a graph's workspace. */
export type FilesKey = `files/${ScopeId}`;
/** What an activation has changed in its workspace and nobody else sees yet. */
export type ChangesKey = `changes/${ActivationId}`;
/** Activations that are held until they get the lock of a graph's workspace; consumed from the head. */
export type WorkspaceQueueKey = `turns/${ScopeId}`;
/** The parts of the journal that are kept as blobs, oldest first. */
export type ArchiveKey = 'archive/journal';
/** Activations whose next call does not fit the budget now, of the whole run under its root scope; first come, first served. */
export type BudgetQueueKey = `short/${ScopeId}`;
export type ListKey =
  | InboxKey
  | PendingKey
  | UnitsKey
  | OutputsKey
  | ExitsKey
  | DueKey
  | FilesKey
  | ChangesKey
  | WorkspaceQueueKey
  | ArchiveKey
  | BudgetQueueKey;
