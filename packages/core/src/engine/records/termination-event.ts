import type { ActivationId, ScopeId } from '../../model/ids.ts';
import type { MessageRef } from '../../model/message.ts';
import type { ConditionStates, InFlight, StopReason } from './stop.ts';

/** What happens to scopes that can stop. */
export type TerminationEvent =
  /** A node of a named scope is due while none of it is at work. */
  | { readonly type: 'scope.entered'; readonly scope: ScopeId; readonly name: string }
  /** Nothing of it is left. */
  | { readonly type: 'scope.left'; readonly scope: ScopeId; readonly name: string }
  /** It begins anew while its scope goes on. */
  | { readonly type: 'termination.reset'; readonly scope: ScopeId; readonly name: string }
  /** What is kept of these places in the tree has changed. */
  | {
      readonly type: 'termination.moved';
      readonly scope: ScopeId;
      readonly name: string;
      readonly cells: ConditionStates;
    }
  /** It is met, inside the run: nothing new is started in it, and what is at work may finish, unless it is cancelled. */
  | {
      readonly type: 'scope.stopping';
      readonly scope: ScopeId;
      readonly name: string;
      readonly stop: StopReason;
      readonly inFlight: InFlight;
      /** What the nodes get that come after a named scope; they are due when nothing of it is at work any more. */
      readonly messages: readonly MessageRef[];
      /** The node over which it stopped. */
      readonly node?: number;
    }
  /** An activation of a stopped scope that was not begun; `inner`: of a graph or a fan-out that goes with it. */
  | { readonly type: 'activation.dropped'; readonly activation: ActivationId; readonly inner?: true }
  /** A graph or a fan-out that a node of a stopped scope has opened. */
  | { readonly type: 'scope.dropped'; readonly scope: ScopeId }
  /**
   * Nothing is at work any more in a graph that is being stopped: the nodes that come last are given these, one node after
   * the other. `skipped`: they are not waited for any more.
   */
  | {
      readonly type: 'graph.exiting';
      readonly scope: ScopeId;
      readonly messages: readonly MessageRef[];
      readonly skipped?: true;
    }
  /** Nothing of a stopped named scope is at work any more. */
  | { readonly type: 'scope.stopped'; readonly scope: ScopeId; readonly name: string };
