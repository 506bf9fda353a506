import type { ScopeId } from '../../model/ids.ts';
import type { MessageRef } from '../../model/messages/message.ts';

/** Events of graphs. */
export type GraphEvent =
  /** A graph is entered: the root (`scope` s0) or one call of a subgraph. */
  | {
      readonly type: 'graph.entered';
      readonly scope: ScopeId;
      readonly graph: string;
      readonly caller?: GraphCaller;
      readonly task: readonly MessageRef[];
      readonly presets: readonly Preset[];
    }
  /** A graph is left. `stopped`: everything inside it is removed; `last` is its result. */
  | { readonly type: 'graph.left'; readonly scope: ScopeId; readonly stopped?: true; readonly last?: MessageRef }
  /** Items outside of cycles that nothing triggered. */
  | { readonly type: 'items.skipped'; readonly scope: ScopeId; readonly items: readonly number[] };

/** Events of cycles. */
export type CycleEvent =
  | {
      readonly type: 'cycle.entered';
      readonly scope: ScopeId;
      readonly parent: ScopeId;
      /** Its position among its siblings: an item index in a graph, the lowest member in a cycle. */
      readonly item: number;
      readonly members: readonly number[];
      readonly entry: number;
      readonly limit: number | null;
      /** The level of the parent cycle at which it is entered. */
      readonly level?: number;
    }
  /** A sweep over the cycle starts; `roots` are the nodes that are due whatever precedes them. */
  | {
      readonly type: 'cycle.iterated';
      readonly scope: ScopeId;
      readonly iteration: number;
      readonly roots: readonly number[];
    }
  /** All members of the level have settled: their deliveries count from here on. */
  | { readonly type: 'cycle.levelled'; readonly scope: ScopeId }
  | { readonly type: 'cycle.left'; readonly scope: ScopeId; readonly reason: 'exit' | 'ended' | 'limit' };

/** Events of fan-outs. */
export type FanOutEvent =
  | {
      readonly type: 'fanout.entered';
      readonly scope: ScopeId;
      readonly parent: ScopeId;
      readonly node: number;
      readonly kind: 'map' | 'tree';
      /** Inputs that every unit gets (a tree: every group of its first layer). */
      readonly statics: readonly MessageRef[];
      readonly units: readonly MessageRef[];
      readonly groupSize: number;
      readonly maxParallel: number;
    }
  /** Tree: the results of one layer are the units of the next. */
  | { readonly type: 'fanout.layered'; readonly scope: ScopeId }
  | { readonly type: 'fanout.left'; readonly scope: ScopeId };

/** The caller of a subgraph: the node, with the scope and the unit in which it was called. */
export interface GraphCaller {
  readonly scope: ScopeId;
  readonly node: number;
  readonly unit?: number;
}

/** Messages that wait at a node (`input`), or count as its outputs (`output`), before the run starts. */
export interface Preset {
  readonly node: number;
  readonly at: 'input' | 'output';
  readonly messages: readonly MessageRef[];
}
