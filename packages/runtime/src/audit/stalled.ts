import type { ActivationId, Wake } from '@millrace/core';
import { locateActivation } from '@millrace/core';
import type { AuditedRun, Violation } from './audit.ts';
import { expectedDues } from './audit.ts';

/** Time without an event after which a run counts as quiet, in milliseconds. */
const quietMs = 60_000;
/** Maximum number of wakes that are looked up. */
const maxWakes = 1000;

type IdleRun = Pick<AuditedRun, 'run' | 'state' | 'journal'>;

/**
 * Returns the wakes that a run needs to continue, when no event has happened for a minute: each of them should be
 * queued or executing. Activations that wait for a person, a budget or a later time are not included.
 */
export function wakesOfQuietRun({ run, state, journal }: IdleRun, now: number): readonly Wake[] {
  const last = journal.at(-1);
  if (last === undefined || now - last.at < quietMs) return [];
  const postponed = new Map<ActivationId, number>();
  for (const { event } of journal)
    if (event.type === 'activation.postponed') postponed.set(event.activation, event.until);
  const wakes = expectedDues(run, state).flatMap((due): Wake[] => ('activation' in due ? [due] : []));
  return wakes.filter(({ activation }) => (postponed.get(activation) ?? 0) <= now - quietMs).slice(0, maxWakes);
}

/**
 * Returns the findings about a run whose wakes are neither queued nor executing although no event has happened for a
 * minute.
 */
export function stalledBy(audited: AuditedRun, missing: readonly Wake[], now: number): readonly Violation[] {
  const { run, plan, state, journal } = audited;
  const quietSeconds = Math.round((now - (journal.at(-1)?.at ?? now)) / 1000);
  return missing.map(({ activation }) => {
    const record = state.get(`activation/${activation}`);
    const node = record && locateActivation(plan, state, record).node?.id;
    const message = `Nothing has happened in the run for ${quietSeconds} s, and the activation${node === undefined ? '' : ` of node "${node}"`} is neither queued nor executing.`;
    return { code: 'STALLED', run, subject: activation, message };
  });
}
