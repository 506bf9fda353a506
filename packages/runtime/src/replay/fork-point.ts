import type { ActivationId, ForkPoint, ForkPreview, JournalEntry, MessageRef } from '@millrace/core';
import { forkPreviewOf, omitUndefined, settlementOf } from '@millrace/core';
import type { RunProjection } from '@millrace/core/projection';
import { endOf } from '../journal/archive/segment.ts';
import type { Ancestor } from './find-ancestor.ts';
import { unknownActivation } from './find-ancestor.ts';
import { forkedNode } from './forked-node.ts';

/** A run at the place where it is forked; its projections are complete. */
export interface FoundForkPoint extends ForkPoint {
  readonly before: RunProjection;
  /** Id of the first entry with which the activation was settled, or of the next entry of the run, if it was not. */
  readonly end: string;
  /** The output of the activation in the original run. */
  readonly output: readonly MessageRef[];
}

/**
 * Returns the run before an activation was settled, which costs the same wherever that was: only the entries of the activation
 * are read, and the projections are continued from archived ones. Throws RequestError when the run lacks the activation.
 */
export async function forkPointOf(ancestor: Ancestor, at: ActivationId): Promise<FoundForkPoint> {
  const entries: JournalEntry[] = [];
  for await (const entry of ancestor.entriesOf(at)) entries.push(entry);
  if (entries.length === 0) throw unknownActivation(ancestor.run, at);
  const end = settlementOf(entries, at);
  const settled = entries[end];
  const before = settled === undefined ? undefined : await ancestor.projection(placeBefore(settled.id));
  const now = await ancestor.projection();
  const done = entries.findLast(({ event }) => event.type === 'activation.completed')?.event;
  const output = done?.type === 'activation.completed' ? done.outputs : [];
  const next = settled?.id ?? `${Number.parseInt(now.event, 10) + 1}-0`;
  return { before: before ?? now, now, own: entries.slice(0, end), end: next, output };
}

/** Returns the place in a journal right before an entry. */
export function placeBefore(id: string): string {
  const [version = 0, n = 0] = id.split('-').map(Number);
  return n > 0 ? `${version}-${n - 1}` : endOf(version - 1);
}

/** Returns the history that a fork of a run at an activation would take over. Throws RequestError. */
export async function previewFork(ancestor: Ancestor, at: ActivationId): Promise<ForkPreview> {
  const point = await forkPointOf(ancestor, at);
  const settings = forkedNode(ancestor.plan, point.before, at)?.settings;
  return { ...forkPreviewOf(point), ...omitUndefined({ settings }) };
}
