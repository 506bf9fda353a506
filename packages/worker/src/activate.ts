import type { Settlement, Wake } from '@millrace/core';
import { failureOf, liveActivation } from '@millrace/core';
import { BodyMissing, Unworkable } from '@millrace/runtime';
import type { Assignment } from './assignment.ts';
import { assign } from './assignment.ts';
import { attend } from './attend.ts';
import { Bringing } from './bringing.ts';
import type { Crew } from './crew.ts';
import { Interrupted } from './host/interrupted.ts';
import { perform } from './perform.ts';

/** How often an activation is run again because its node's state moved under it. */
const restarts = 20;

/**
 * Works on one wake: opens the run, executes the node, routes what came out, and settles, all in the run's own state.
 * A wake that no longer holds is dropped without effect. Whatever goes wrong in the node, in a condition or in the
 * plan settles the activation as failed, so that a run that cannot go on ends with a reason instead of coming back.
 */
export async function activate(crew: Crew, wake: Wake, stopping: AbortSignal): Promise<void> {
  try {
    await workOn(crew, wake, stopping);
  } catch (error) {
    if (!(error instanceof Unworkable)) throw error;
    crew.log.error(
      { err: error, run: wake.run, activation: wake.activation },
      'a run cannot be gone on with and fails',
    );
    await crew.runs.submit(wake.run, { type: 'fail', error: { ...error.failure, activation: wake.activation } });
  }
}

async function workOn(crew: Crew, wake: Wake, stopping: AbortSignal): Promise<void> {
  const { run, activation } = wake;
  for (let attempt = 0; attempt < restarts; attempt++) {
    const assignment = await receive(crew, wake);
    if (assignment === undefined) {
      crew.log.debug({ run, activation }, 'dropped a wake that no longer holds');
      return;
    }
    const bringing = new Bringing(assignment.refs);
    const result = await attend(crew, { assignment, stopping }, (signal) =>
      settlementOf(crew, { assignment, bringing, signal }),
    );
    if (result === 'abandoned') return;
    const verdict = await crew.runs.submit(wake.run, {
      type: 'settle',
      activation: wake.activation,
      token: wake.token,
      result,
      bodies: bringing.bodies,
    });
    if (verdict.type === 'accepted') return;
    if (verdict.code !== 'STATE_MOVED') {
      crew.log.debug({ run, activation, code: verdict.code }, 'a result came too late');
      return;
    }
  }
  throw new Unworkable('INTERNAL', `The state of the node moved ${restarts} times under its activation.`, undefined);
}

/** What there is to do; undefined when the wake no longer holds. */
async function receive(crew: Crew, wake: Wake): Promise<Assignment | undefined> {
  try {
    return await gather(crew, wake);
  } catch (error) {
    if (!(error instanceof BodyMissing)) throw error;
    // A store that has stepped back has lost what this process remembers; as of now the run may make sense.
    await crew.runs.refresh(wake.run);
    return gather(crew, wake).catch((still: unknown) => {
      throw still instanceof BodyMissing ? new Unworkable('INTERNAL', still.message, still) : still;
    });
  }
}

async function gather(crew: Crew, wake: Wake): Promise<Assignment | undefined> {
  const open = await crew.runs.open(wake.run, wake.activation, wake.token);
  if (open?.state.get('run')?.status !== 'running') return undefined;
  const { plan, state } = open;
  const live = liveActivation(state, wake);
  return live.type === 'refused' ? undefined : assign(crew.runs, { wake, plan, state, record: live.record });
}

interface Work {
  readonly assignment: Assignment;
  readonly bringing: Bringing;
  readonly signal: AbortSignal;
}

async function settlementOf(crew: Crew, work: Work): Promise<Settlement> {
  try {
    return await perform(crew, work);
  } catch (error) {
    // What ends an attempt from outside is the worker's affair or the run's, never the node's.
    if (work.signal.aborted || error instanceof Interrupted) throw error;
    return { type: 'failed', error: failureOf(error) };
  }
}
