import type { AskedCall, StateWrite, Wait } from '../../definitions/outcome.ts';
import type { Failure, Warning } from '../../model/failure.ts';
import type { MemoryWrite } from '../../model/memory.ts';
import type { ScopeRef } from '../records/stop.ts';
import type { NewMessage, NewPreset } from './new-message.ts';

/** A route before the engine has given new bodies their ids. */
export interface NewRoute {
  readonly edge: number;
  readonly output: number;
  readonly dropped?: true;
  readonly message?: NewMessage;
}

/** Result of one execution of an activation, routed. */
export type Settlement =
  | {
      readonly type: 'completed';
      readonly outputs: readonly NewMessage[];
      readonly routes: readonly NewRoute[];
      readonly state?: StateWrite;
      readonly warnings?: readonly Warning[];
      /** The failure after which its error policy or an edge continued. */
      readonly failure?: Failure;
      /** Its output replaced its execution: a fork that the run repeats was given it. */
      readonly given?: true;
      /** Observations of the enclosing terminations, inner ones first. */
      readonly observed?: readonly ScopeObservation[];
      /** Writes to memory stores; they are written with the settlement, so exactly once. */
      readonly memory?: readonly MemoryWrite[];
    }
  /** The node calls its subgraph with this task. */
  | {
      readonly type: 'called';
      readonly task: readonly NewMessage[];
      readonly presets: readonly NewPreset[];
      readonly observed?: ConditionObservations;
    }
  /** The units of a fan-out, or those that are not stored yet, and the inputs that every unit gets. */
  | {
      readonly type: 'split';
      readonly statics: readonly NewMessage[];
      /** Units that were stored before, and the hash of their input; absent: none. */
      readonly before?: StoredUnits;
      readonly units: readonly NewMessage[];
    }
  /** The last part of the units of a large fan-out is joined; all others are joined before. */
  | { readonly type: 'joined' }
  /** The node waits; with an `answer`, which is then known already, it does not. */
  | {
      readonly type: 'suspended';
      readonly wait: Wait;
      readonly answer?: NewMessage;
      /** The calls that a wait of the kind `approval` asks about. */
      readonly calls?: readonly AskedCall[];
    }
  /** The activation is executed again at `until`, in milliseconds since 1970, with the results of its steps. */
  | { readonly type: 'postponed'; readonly until: number }
  | { readonly type: 'failed'; readonly error: Failure };

/** Number of units that are stored for a fan-out that is not open yet, and the hash of the input that they are cut from. */
export interface StoredUnits {
  readonly count: number;
  readonly cut: string;
}

/** Observations of the leaves of a termination in a delta, by path; a leaf that observes nothing has no entry. */
export type ConditionObservations = Readonly<Record<string, unknown>>;

/** Observations with the scope whose termination made them. */
export interface ScopeObservation extends ScopeRef {
  readonly leaves: ConditionObservations;
}
