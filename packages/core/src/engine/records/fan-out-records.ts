import type { ScopeId } from '../../model/ids.ts';
import type { MessageRef } from '../../model/messages/message.ts';
import type { JoinedKey, UnitsKey } from './keys.ts';

/** Records of fan-outs. The results of one of very many units are joined part by part; see evolve-join.ts. */

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
  /** List of the units of this layer; absent: that with no number. */
  readonly units?: UnitsKey;
  /** Present while its results are joined part by part. */
  readonly joined?: JoinedResults;
}

/** Stands for messages of a large fan-out in the inbox of a node; `n` is added to their numbers. */
export interface JoinedInboxEntry {
  readonly id?: undefined;
  readonly n: number;
  readonly joined: JoinedKey;
}

/** Stands for the outputs of a large fan-out. */
export interface JoinedOutputs {
  readonly id?: undefined;
  readonly joined: JoinedKey;
}

/** A message that a large fan-out has put out; `n` is its number among those that one node gets, from 0. */
export type JoinedMessage = MessageRef & { readonly n: number; readonly dynamic?: true };

/** All that a large fan-out delivers to one node. */
export interface JoinedDelivery {
  /** Lists of its messages, by the kind of inbox that they belong to; absent: none. */
  readonly recent?: JoinedKey;
  readonly kept?: JoinedKey;
  /** Number of messages, with those that a later one has cleared. */
  readonly count: number;
  /** Edges that triggered the node. */
  readonly fired: readonly number[];
  /** Before its first message, the inbox of the node is cleared, of one kind or the other. */
  readonly clears?: true;
  readonly clearsKept?: true;
}

/** Results of the units of a large fan-out that are joined so far. */
export interface JoinedResults {
  /** Number of those units, from the first one on. */
  readonly units: number;
  /** Number of their outputs, and the last one. */
  readonly outputs: number;
  readonly last?: MessageRef;
  /** Deliveries over edges, by target, each with one of its edges; and that to the own context of the node, over {@link selfEdge}. */
  readonly deliveries: readonly (JoinedDelivery & { readonly to: number; readonly edge: number })[];
  /** The nodes that they trigger, in the order of the first message that does so. */
  readonly triggered: readonly number[];
}
