import type { ActivationId, Command, Event, EventOf, MessageRef, NewMessage } from '@millrace/core';
import { omitUndefined, RequestError, runOf, tenantOf, withoutTenant } from '@millrace/core';
import { loadBody } from '../blobs/long-bodies.ts';
import { hasWebhooks } from '../resources/webhooks.ts';
import type { DescendantContext } from './descendant-context.ts';
import type { DescendantInMaking } from './descendant-in-making.ts';
import type { Ancestor } from './find-ancestor.ts';
import { inheritedMemory } from './inherited-memory.ts';
import { copyJournal } from './journal-copy.ts';
import { shareHistory } from './shared-history.ts';

/*
 * A fork under another plan, or with another input, cannot be repeated from its beginning: what happened before the fork
 * happened under the earlier plan. So its replay shares that history, too, is forked as it was, and repeats the rest
 * with the recorded steps.
 */

interface ForkRepetition {
  readonly ancestor: Ancestor;
  readonly making: DescendantInMaking;
  readonly liveFrom: ActivationId | undefined;
}

/** Returns the command that repeats the last fork of a run that changed its plan or an input; undefined without one. */
export async function repeatedFork(
  context: DescendantContext,
  { ancestor, making, liveFrom }: ForkRepetition,
): Promise<Command | undefined> {
  const { store, blobs } = context;
  const { run } = making;
  const found = await lastChange(ancestor, liveFrom);
  if (found === undefined) return undefined;
  const { forked, end } = found;
  const { history, copies, state } = await shareHistory(context, ancestor, { making, end, without: new Set() });
  const total = (runOf(await state()).nextMessage ?? 1) - 1;
  const stored = await ancestor.bodies(
    Array.from({ length: forked.bodies ?? 0 }, (_, index) => `m${total + index + 1}` as const),
  );
  const bodies = await Promise.all(stored.map((body) => loadBody(blobs, body)));
  // Bodies that came with the fork have the numbers after those of the history, as they will have here.
  const again = ({ id, ...ref }: MessageRef): NewMessage => {
    const number = Number(id.slice(1)) - total - 1;
    return { ...ref, body: number >= 0 ? number : id };
  };
  const { of, activation, until, elapsed = [], output, input, definition } = forked;
  return {
    type: 'fork',
    of,
    plan: ancestor.planHash,
    ...omitUndefined({ definition }),
    history,
    copies,
    until,
    elapsed,
    activation,
    ...(output === undefined ? {} : { output: again(output) }),
    ...(input === undefined ? {} : { input: input.map(again) }),
    ...((await hasWebhooks(store, tenantOf(run))) ? { told: true as const } : {}),
    memory: await inheritedMemory(store, { run, ancestor, history, end }),
    bodies,
    replay: omitUndefined({
      run: ancestor.run,
      plan: ancestor.planHash,
      journal: await copyJournal(ancestor, making),
      liveFrom,
    }),
  };
}

/** Returns whether an event is a fork under another plan, or with another input. */
export const changesPast = (event: Event): boolean =>
  event.type === 'run.forked' && (event.plan !== undefined || event.input !== undefined);

/** The last fork of a run that changed its plan or an input, and the id of its event. */
interface LastChange {
  readonly forked: EventOf<'run.forked'>;
  readonly end: string;
}

/**
 * Returns the last fork of a run that changed its plan or an input. Throws RequestError if an activation that is to be executed again
 * had settled before it.
 */
async function lastChange(ancestor: Ancestor, liveFrom: ActivationId | undefined): Promise<LastChange | undefined> {
  let last: LastChange | undefined;
  let isSettled = false;
  let wasSettled = false;
  for await (const { id, event } of ancestor.journal()) {
    if (event.type === 'run.forked' && changesPast(event)) {
      last = { forked: event, end: id };
      wasSettled = isSettled;
    }
    if (event.type === 'activation.completed' || event.type === 'activation.opened')
      isSettled ||= event.activation === liveFrom;
  }
  if (last !== undefined && wasSettled)
    throw new RequestError(
      'REPLAY_IMPOSSIBLE',
      `Run ${withoutTenant(ancestor.run)} is a fork under another workflow, and ${liveFrom} was settled before the fork, under the earlier one. Fork the run at ${liveFrom} instead.`,
    );
  return last;
}
