import type { ActivationId, Command, Event, JournalEntry, MessageRef, NewMessage, RunId } from '@millrace/core';
import { omitUndefined, RequestError, tenantOf, withoutTenant } from '@millrace/core';
import { loadBody } from '../blobs/long-bodies.ts';
import { hasWebhooks } from '../resources/webhooks.ts';
import type { Ancestor } from './find-ancestor.ts';
import type { DescendantContext } from './fork-command.ts';
import { copiesOf, inheritedMemory } from './fork-command.ts';
import { copyJournal } from './journal-copy.ts';

/*
 * A fork under another plan, or with another input, cannot be repeated from its beginning: what happened before the fork
 * happened under the earlier plan. So its replay shares that history, too, is forked as it was, and repeats the rest
 * with the recorded steps.
 */

interface ForkRepetition {
  readonly ancestor: Ancestor;
  /** The new run. */
  readonly run: RunId;
  readonly liveFrom: ActivationId | undefined;
}

/** Returns the command that repeats the last fork of a run that changed its plan or an input; undefined without one. */
export async function repeatedFork(
  context: DescendantContext,
  { ancestor, run, liveFrom }: ForkRepetition,
): Promise<Command | undefined> {
  const { store, blobs } = context;
  const journal: JournalEntry[] = [];
  for await (const entry of ancestor.journal()) journal.push(entry);
  const at = journal.findLastIndex(({ event }) => changesPast(event));
  const forked = journal[at]?.event;
  if (forked?.type !== 'run.forked') return undefined;
  const past = journal.slice(0, at).flatMap(({ event }) => (event.type === 'journal.archived' ? [] : [event]));
  assertLiveAfter(past, ancestor.run, liveFrom);
  const total = past.reduce((sum, { bodies = 0 }) => sum + bodies, 0);
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
    history: past,
    copies: await copiesOf(blobs, ancestor, total),
    until,
    elapsed,
    activation,
    ...(output === undefined ? {} : { output: again(output) }),
    ...(input === undefined ? {} : { input: input.map(again) }),
    ...((await hasWebhooks(store, tenantOf(run))) ? { told: true as const } : {}),
    memory: await inheritedMemory(store, { run, of: ancestor.run, past, later: () => journal.slice(at) }),
    bodies,
    replay: omitUndefined({
      run: ancestor.run,
      plan: ancestor.planHash,
      journal: await copyJournal(context, run, ancestor),
      liveFrom,
    }),
  };
}

/** Returns whether an event is a fork under another plan, or with another input. */
export const changesPast = (event: Event): boolean =>
  event.type === 'run.forked' && (event.plan !== undefined || event.input !== undefined);

/** Throws RequestError if an activation that is to be executed again had settled before the fork. */
function assertLiveAfter(past: readonly Event[], run: RunId, liveFrom: ActivationId | undefined): void {
  const isSettled = past.some(
    (event) =>
      (event.type === 'activation.completed' || event.type === 'activation.opened') && event.activation === liveFrom,
  );
  if (isSettled)
    throw new RequestError(
      'REPLAY_IMPOSSIBLE',
      `Run ${withoutTenant(run)} is a fork under another workflow, and ${liveFrom} was settled before the fork, under the earlier one. Fork the run at ${liveFrom} instead.`,
    );
}
