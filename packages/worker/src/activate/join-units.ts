import type { ActivationAttempt } from '../context/activation-attempt.ts';
import { AttemptInterrupted, AttemptPostponed } from '../context/interrupted.ts';
import { reach } from './store-units.ts';

/** Joins the units of a large fan-out part by part, up to the last part, which the result of the attempt joins. */
export async function joinUnits({ worker: { runs }, wake }: ActivationAttempt): Promise<void> {
  const { run, activation, token } = wake;
  for (;;) {
    const verdict = await reach(run, runs.submit(run, { type: 'units.join', activation, token }));
    if (verdict.type === 'accepted') continue;
    if (verdict.code === 'UNITS_JOINED') return;
    // As for units that are stored.
    if (verdict.code === 'SCOPE_STOPPING') throw new AttemptPostponed(runs.now());
    throw new AttemptInterrupted(verdict.message);
  }
}
