import { endHalted } from '../advance.ts';
import type { Command } from '../command.ts';
import type { Deciding } from '../deciding.ts';
import { runOf } from '../lookup.ts';
import type { Refusal } from '../refusal.ts';
import { refuse } from '../refusal.ts';

/** Stops the run where it stands, so that it can be resumed. Being told again can only hurry it up. */
export function stop(deciding: Deciding, command: Extract<Command, { type: 'stop' }>): Refusal | undefined {
  const { draft, emit } = deciding;
  const run = runOf(draft);
  const { inFlight } = command;
  if (run.status === 'failing')
    return refuse('RUN_NOT_ACTIVE', 'The run is failing; it ends when nothing is at work any more.');
  if (run.status === 'stopping' && inFlight === 'drain') return undefined;
  emit({ type: 'run.stopping', stop: run.stop ?? command.stop, inFlight });
  endHalted(deciding);
  return undefined;
}
