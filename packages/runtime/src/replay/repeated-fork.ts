import type { ActivationId, Command, JournalPart, MessageRef, NewMessage } from '@millrace/core';
import { omitUndefined, runOf, tenantOf } from '@millrace/core';
import { loadBody } from '../blobs/long-bodies.ts';
import { hasWebhooks } from '../resources/webhooks.ts';
import type { DescendantContext } from './descendant-context.ts';
import type { DescendantInMaking } from './descendant-in-making.ts';
import type { Ancestor } from './find-ancestor.ts';
import { inheritedMemory } from './inherited-memory.ts';
import type { ChangedPast } from './recorded-past.ts';
import { shareHistory } from './shared-history.ts';

/*
 * A fork under another plan, or with another input, cannot be repeated from its beginning: what happened before the fork
 * happened under the earlier plan. So its replay shares that history, too, is forked as it was, and repeats the rest
 * with the recorded steps.
 */

interface ForkRepetition {
  readonly ancestor: Ancestor;
  readonly making: DescendantInMaking;
  /** The last fork that changed its plan or an input. */
  readonly change: ChangedPast;
  /** The copy of the journal. */
  readonly journal: readonly JournalPart[];
  readonly liveFrom: ActivationId | undefined;
}

/** Returns the command that repeats the last fork of a run that changed its plan or an input. */
export async function repeatedFork(
  context: DescendantContext,
  { ancestor, making, change, journal, liveFrom }: ForkRepetition,
): Promise<Command> {
  const { store, blobs } = context;
  const { run } = making;
  const { forked, end } = change;
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
    memory: await inheritedMemory(store, { run, ancestor, history, end, most: context.cache.limits.commitCharacters }),
    bodies,
    replay: omitUndefined({ run: ancestor.run, plan: ancestor.planHash, journal, liveFrom }),
  };
}
