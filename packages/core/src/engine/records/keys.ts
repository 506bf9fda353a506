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
  | `approvals/${ActivationId}`
  | `tally/${string}`
  | 'budget'
  | `lost/${string}`
  | 'warnings'
  | `usage/${string}`
  | `counters/${ScopeId}/${string}`
  | `timers/${ScopeId}/${string}`
  | `controllers/${ScopeId}/${string}`
  | `lasting/${ScopeId}/${string}`
  | WorkspaceLockKey
  /** Of a frame (no name), or of a named scope in it. */
  | `termination/${ScopeId}/${string}`;

/** The holder of the lock of a graph's workspace. */
export type WorkspaceLockKey = `lock/${ScopeId}`;

/** Messages that wait at a node: those that only an explicit clear removes, and the others. Oldest first. */
export type InboxKey = `kept/${ScopeId}/${string}` | `recent/${ScopeId}/${string}`;
/** Deliveries to a node that are not applied yet: their sources have executing siblings in the scope named first. */
export type PendingKey = `pending/${ScopeId}/${ScopeId}/${string}`;
/** The units of a fan-out, in order; those of a later layer of a large tree have its number. */
export type UnitsKey = `units/${ScopeId}` | `units/${ScopeId}/${number}`;
/**
 * Messages that a large fan-out has put out, under its scope and the id of their node: what its edges deliver, what the context
 * of its own node keeps, and its outputs. They stay there: entries of other lists stand for them; see joined-messages.ts.
 */
export type JoinedKey = `joined/${ScopeId}/${JoinedKind}/${string}`;
export type JoinedKind = 'recent' | 'kept' | 'own-recent' | 'own-kept' | 'outputs';
/** Outputs of a node whose graph returns all of them to its caller. */
export type OutputsKey = `outputs/${ScopeId}/${string}`;
/** Messages for the exit nodes of a graph that is being stopped. */
export type ExitsKey = `exits/${ScopeId}`;
/** List that a `close` activation reads the inner results from, and an `exit` activation its input. */
export type ResultKey = UnitsKey | OutputsKey | PendingKey | ExitsKey;
/** Items of a graph that are due, in the order in which they became so; consumed from the head. */
export type DueKey = `due/${ScopeId}`;
/** Changes of the files in a graph's workspace. */
export type FilesKey = `files/${ScopeId}`;
/** Changes of an activation in its workspace that no other activation sees yet. */
export type ChangesKey = `changes/${ActivationId}`;
/** Activations that are held until they get the lock of a graph's workspace; consumed from the head. */
export type WorkspaceQueueKey = `lock-queue/${ScopeId}`;
/** The parts of the journal that are stored as blobs, oldest first. */
export type ArchiveKey = 'archive/journal';
/**
 * Activations of the run whose next call does not fit the budget now, under the root scope; first come, first served.
 */
export type BudgetQueueKey = `short/${ScopeId}`;
/** Events from outside that no node has taken yet, under the root scope; oldest first. */
export type KeptSignalsKey = `signals/${ScopeId}`;
/** Events from outside with an id that the run has accepted, under the root scope; oldest first. */
export type AcceptedSignalsKey = `accepted/${ScopeId}`;
/** Messages that calls of models share, such as a system prompt or tools, under the root scope; oldest first. */
export type SharedTextsKey = `asked/${ScopeId}`;
export type ListKey =
  | InboxKey
  | PendingKey
  | UnitsKey
  | JoinedKey
  | OutputsKey
  | ExitsKey
  | DueKey
  | FilesKey
  | ChangesKey
  | WorkspaceQueueKey
  | ArchiveKey
  | BudgetQueueKey
  | KeptSignalsKey
  | AcceptedSignalsKey
  | SharedTextsKey;
