import type { Budget, Command, InFlight, Message, PlainCommandType, Plan, RunId } from '@millrace/core';
import { bodyOf, omitUndefined, signalBody } from '@millrace/core';
import { assertMessageSize, newMessage, observeTask } from './new-bodies.ts';

/** Options of a resume: the new budget, and the node to resume at. */
export interface ResumeOptions {
  readonly budget?: Budget;
  readonly to?: string;
}

/** A signal: an event from outside. */
export interface Signal {
  readonly name: string;
  readonly note?: string;
  /** Id of the event; the run accepts each id once. */
  readonly id?: string;
  /** Data of the event, as JSON has it. */
  readonly data?: unknown;
}

/** Controls of a run as a whole. All of them throw RequestError when the run refuses. */
export interface RunControl {
  /** Submits a command without input; the function that decides it describes what it does. */
  control(run: RunId, type: PlainCommandType): Promise<void>;
  cancel(run: RunId, reason: string): Promise<void>;
  /** Stops a run in its present state, so that it can be resumed. */
  stop(
    run: RunId,
    request: {
      readonly note: string;
      readonly inFlight: InFlight;
      /** A named scope; absent: the run. */
      readonly scope?: string;
    },
  ): Promise<void>;
  /** Delivers a signal to the nodes and terminations that wait for it. */
  signal(run: RunId, signal: Signal): Promise<void>;
  /**
   * Continues a run that was paused, stopped or failed; the messages are delivered to the nodes at which it continues.
   */
  resume(run: RunId, task?: readonly Message[], more?: ResumeOptions): Promise<void>;
}

/** Creates the controls from commands; `order` throws RequestError when the run refuses. */
export function createRunControl(
  order: (run: RunId, command: Command) => Promise<void>,
  planOf: (run: RunId) => Promise<Plan>,
): RunControl {
  return {
    control: (run, type) => order(run, { type }),
    cancel: (run, reason) => order(run, { type: 'cancel', reason }),
    stop: (run, { note, inFlight, scope }) =>
      order(run, {
        type: 'stop',
        stop: { code: 'external', text: note },
        inFlight,
        ...omitUndefined({ scope }),
      }),
    async signal(run, { name, note, id, data }) {
      assertMessageSize([signalBody({ name, data, id })], 'The signal');
      await order(run, { type: 'signal', name, ...omitUndefined({ note, id, data }) });
    },
    async resume(run, task = [], { budget, to } = {}) {
      const bodies = task.map(bodyOf);
      const termination = (await planOf(run)).graphs.get('')?.termination;
      const observed = termination === undefined ? {} : { observed: await observeTask(termination, task) };
      assertMessageSize(bodies, 'The input');
      await order(run, {
        type: 'resume',
        task: task.map(newMessage),
        bodies,
        ...observed,
        ...omitUndefined({ budget, to }),
      });
    },
  };
}
