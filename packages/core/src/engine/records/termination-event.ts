import type { ActivationId, ScopeId } from '../../model/ids.ts';
import type { MessageRef } from '../../model/messages/message.ts';
import type { ConditionStates, InFlight, StopReason } from './stop.ts';

/** Events of scopes that can stop. */
export type TerminationEvent =
  /** A node of a named scope is due while no other of its nodes is executing. */
  | { readonly type: 'scope.entered'; readonly scope: ScopeId; readonly name: string }
  /** Nothing of the scope is executing or due any more. */
  | { readonly type: 'scope.left'; readonly scope: ScopeId; readonly name: string }
  /** The termination is reset while its scope continues. */
  | { readonly type: 'termination.reset'; readonly scope: ScopeId; readonly name: string }
  /** The states of these conditions have changed. */
  | {
      readonly type: 'termination.moved';
      readonly scope: ScopeId;
      readonly name: string;
      readonly cells: ConditionStates;
    }
  /**
   * The termination is satisfied: nothing new is started in its scope, and executing activations may finish, unless
   * they are cancelled.
   */
  | {
      readonly type: 'scope.stopping';
      readonly scope: ScopeId;
      readonly name: string;
      readonly stop: StopReason;
      readonly inFlight: InFlight;
      /**
       * Messages for the nodes that come after a named scope; those are due when nothing of the scope is executing any
       * more.
       */
      readonly messages: readonly MessageRef[];
      /** The node whose activation stopped it. */
      readonly node?: number;
    }
  /**
   * An activation of a stopped scope that was not started; `inner`: it belongs to a graph or fan-out that is dropped,
   * too.
   */
  | { readonly type: 'activation.dropped'; readonly activation: ActivationId; readonly inner?: true }
  /** A graph or a fan-out that a node of a stopped scope has opened is dropped. */
  | { readonly type: 'scope.dropped'; readonly scope: ScopeId }
  /**
   * Nothing is executing any more in a graph that is being stopped: its exit nodes receive these messages, one node
   * after the other. `skipped`: the exit nodes are not executed.
   */
  | {
      readonly type: 'graph.exiting';
      readonly scope: ScopeId;
      readonly messages: readonly MessageRef[];
      readonly skipped?: true;
    }
  /** Nothing of a stopped named scope is executing any more. */
  | { readonly type: 'scope.stopped'; readonly scope: ScopeId; readonly name: string };
