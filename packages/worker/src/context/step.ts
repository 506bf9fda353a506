import type {
  BudgetRecord,
  CallBound,
  ChatRequest,
  NewRequest,
  OnceTerms,
  StateView,
  StepAction,
  UnknownRule,
  Usage,
} from '@millrace/core';
import type { StepBegun } from '@millrace/runtime';
import type { ApprovalState } from './approvals.ts';
import type { StepPlace } from './step-journal.ts';

/** Result of a step. A failed one is recorded, too, until the activation is retried. */
export interface ActionResult<T> {
  readonly value: T;
  readonly usage?: Usage;
  /** The model that the usage is of. */
  readonly model?: string;
  readonly failed?: true;
  /** It failed, and cost nothing. */
  readonly free?: true;
  /** Nobody knows what came of it; this rule decides what follows. */
  readonly unknown?: UnknownRule;
}

/** The largest cost of a step; undefined: none. */
export type CostBound = CallBound | 'unlimited' | undefined;

/** A side effect that is to happen once. */
export interface Step<T> {
  /** The same on every attempt. */
  readonly name: string;
  /** The model that it asks; absent for other steps. */
  readonly model?: StepBegun['model'];
  /** The model that gave no answer, in whose place this one is asked. */
  readonly insteadOf?: string | undefined;
  /** Request to the outside, as JSON; must hold no secret. A retry with another request gets a new answer. */
  readonly request: unknown;
  /** The request to a model, which the journal stores for people; absent for other steps. */
  readonly chat?: ChatRequest;
  /** Part of the request by which the step is recognised; absent: the whole. */
  readonly identity?: unknown;
  /** Returns the counts of the run that it raises, with their values as read. */
  readonly tallies?: (read: (key: string) => number) => Readonly<Record<string, number>>;
  /** Waits until it may begin; the name is the same on every attempt. Throws to have the activation postponed. */
  readonly acquireSlot?: ((who: string) => Promise<void>) | undefined;
  /** Returns the largest cost in a run with this budget; called when there is no result yet. */
  readonly worstCase?: (budget: BudgetRecord | undefined) => CostBound | Promise<CostBound>;
  /** Its action reads and changes nothing that outlives the run; absent for others. */
  readonly effect?: StepEffect;
  /** It must not be made twice; absent for others. */
  readonly once?: OnceTerms<T> | undefined;
  /** Returns the state of its call, which a person must approve; absent for others. */
  readonly approval?: ((state: StateView) => ApprovalState) | undefined;
  /** A rule refuses its call: the action makes none. */
  readonly refused?: true | undefined;
  readonly action: (
    counts: Readonly<Record<string, number>>,
    doing: Pick<StepAction, 'emit' | 'sleep' | 'decided' | 'begun'>,
  ) => Promise<ActionResult<T>>;
}

/**
 * Effect of a step on the world outside of its run, which decides what a replay may do in place of a recorded result: `model`
 * asks one, `program` executes one in the files of the run, `none` reads, and `outside` may do anything.
 */
export type StepEffect = 'model' | 'program' | 'none' | 'outside';

/**
 * Gives a step of a replay its recorded result, and returns true; returns false if the step is to be made. Throws if it may
 * not be.
 */
export type RecallStep = (place: StepPlace, effect: StepEffect, describe?: DescribeRequest) => Promise<boolean>;

/** Returns the description of the request of a step for the journal. */
export type DescribeRequest = () => NewRequest;
