import type { Command } from '../command.ts';
import type { Deciding } from '../deciding.ts';
import { liveActivation } from '../live.ts';
import { placeOf } from '../lookup.ts';
import type { Refusal } from '../refusal.ts';
import { refuse } from '../refusal.ts';

/**
 * Notes that a side effect is about to happen. What it counts is counted from here on, whether it comes back or not.
 * When a worker was taken for dead, two attempts may ask for the same: the second one shares what the first has begun.
 */
export function startStep(
  { draft, emit }: Deciding,
  command: Extract<Command, { type: 'step.start' }>,
): Refusal | undefined {
  const live = liveActivation(draft, command);
  if (live.type === 'refused') return live;
  const { activation, step, name, request, tallies } = command;
  const known = draft.get(`step/${activation}/${step}`);
  if (known?.name === name && known.request === request)
    return refuse('STEP_BEGUN', `Step ${step} of activation ${activation} has been begun already.`);
  const read = Object.entries(tallies ?? {});
  if (read.some(([key, value]) => (draft.get(`tally/${key}`) ?? 0) !== value)) {
    return refuse('TALLY_MOVED', 'Somebody else counted at the same time; read again.');
  }
  const counts = Object.fromEntries(read.map(([key, value]) => [key, value + 1]));
  emit({ type: 'step.started', activation, step, name, request, ...(read.length === 0 ? {} : { counts }) });
  return undefined;
}

/** Remembers what a side effect came to, so that no later attempt repeats it. */
export function completeStep(
  { plan, draft, emit, refOf }: Deciding,
  command: Extract<Command, { type: 'step.complete' }>,
): Refusal | undefined {
  const live = liveActivation(draft, command);
  if (live.type === 'refused') return live;
  const { activation, step, name, request, usage, failed, files = [] } = command;
  const record = draft.get(`step/${activation}/${step}`);
  if (record?.name !== name || record.request !== request)
    return refuse('STEP_UNKNOWN', `Activation ${activation} has no step ${step} with this request (any more).`);
  if (record.result !== undefined)
    return refuse('STEP_COMPLETED', `Step ${step} of activation ${activation} is complete already.`);
  const { id } = refOf({ role: 'tool', source: '', body: 0 });
  emit({
    type: 'step.completed',
    activation,
    step,
    result: id,
    ...(usage === undefined ? {} : { usage }),
    ...(failed === undefined ? {} : { failed }),
  });
  if (files.length === 0) return undefined;
  const { frame, node } = placeOf(plan, draft, live.record);
  emit({ type: 'files.changed', activation, node: node?.id ?? '', frame, files });
  return undefined;
}
