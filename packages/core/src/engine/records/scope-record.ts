import type { ScopeId } from '../../model/ids.ts';
import type { MessageRef } from '../../model/messages/message.ts';
import type { GraphCaller } from './scope-events.ts';

/** Progress of a graph, a cycle or a fan-out. */
export type ScopeRecord = GraphScope | CycleScope | FanOutScope;

/** One execution of a graph. */
export interface GraphScope {
  readonly type: 'graph';
  readonly graph: string;
  /** Absent for the root. */
  readonly caller?: GraphCaller;
  /** Number of items that are executing. The graph is settled when it is 0 and nothing is due. */
  readonly live: number;
}

/** One execution of a cycle; see scopes/cycle.ts. */
export interface CycleScope {
  readonly type: 'cycle';
  readonly graph: string;
  readonly frame: ScopeId;
  readonly parent: ScopeId;
  /** The outermost enclosing cycle, whose record holds the fired edges of all. */
  readonly outermost: ScopeId;
  /** Its position among its siblings: an item index in a graph, the lowest member in a cycle. */
  readonly item: number;
  readonly members: readonly number[];
  readonly entry: number;
  readonly limit: number | null;
  readonly iteration: number;
  readonly roots: readonly number[];
  /** The next level to dispatch. */
  readonly level: number;
  /** The member that a person has named to continue at, until it is dispatched. */
  readonly told?: number;
  /** Number of members of the level that are still executing. */
  readonly live: number;
  /** Members of the level that were dispatched: lowest node of each. Empty between levels. */
  readonly dispatched: readonly number[];
  /** Nodes outside of the cycle that its edges have triggered. */
  readonly exits: readonly number[];
}

/** One fan-out of one node. */
export interface FanOutScope {
  readonly type: 'map' | 'tree';
  readonly graph: string;
  readonly frame: ScopeId;
  readonly parent: ScopeId;
  readonly node: number;
  readonly statics: readonly MessageRef[];
  readonly groupSize: number;
  readonly maxParallel: number;
  /** Executions of the current layer: units of a map, groups of a tree. */
  readonly total: number;
  readonly next: number;
  readonly settled: number;
  readonly layer: number;
}
