import type { Command, Plan, RunId } from '@millrace/core';
import { bodyOf } from '@millrace/core';
import { assertMessageSize, newMessage } from '../commit/new-bodies.ts';
import { observeTask } from '../commit/observe-task.ts';
import type { Runs } from '../contract/runs.ts';

type RunControl = Pick<Runs, 'cancel' | 'stop' | 'signal' | 'resetTerminations' | 'pause' | 'resume' | 'retry'>;

/** What can be asked of a run as a whole; `order` throws RequestError when the run refuses. */
export function createRunControl(
  order: (run: RunId, command: Command) => Promise<void>,
  planOf: (run: RunId) => Promise<Plan>,
): RunControl {
  return {
    cancel: (run, reason) => order(run, { type: 'cancel', reason }),
    stop: (run, { note, inFlight, scope }) =>
      order(run, {
        type: 'stop',
        stop: { code: 'external', text: note },
        inFlight,
        ...(scope === undefined ? {} : { scope }),
      }),
    signal: (run, { name, note }) => order(run, { type: 'signal', name, ...(note === undefined ? {} : { note }) }),
    resetTerminations: (run) => order(run, { type: 'reset' }),
    pause: (run) => order(run, { type: 'pause' }),
    async resume(run, task = [], { budget, to } = {}) {
      const bodies = task.map(bodyOf);
      const termination = (await planOf(run)).graphs.get('')?.termination;
      const observed = termination === undefined ? {} : { observed: await observeTask(termination, task) };
      assertMessageSize(bodies, 'The input');
      await order(run, {
        type: 'resume',
        task: task.map(newMessage),
        ...(budget === undefined ? {} : { budget }),
        bodies,
        ...observed,
        ...(to === undefined ? {} : { to }),
      });
    },
    retry: (run) => order(run, { type: 'retry' }),
  };
}
