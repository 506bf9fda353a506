import type { MessageBody } from '../../../model/messages/message.ts';
import { omitUndefined } from '../../../model/omit-undefined.ts';
import type { FileChange } from '../../../model/workspace.ts';
import type { NewRequest } from '../../commands/new-request.ts';
import type { EventOf } from '../../records/event.ts';
import type { DecisionContext, Refusal } from '../../state/decision-context.ts';
import { refuse } from '../../state/decision-context.ts';
import { liveActivation } from '../../state/live.ts';
import { locateActivation, runOf } from '../../state/lookup.ts';
import { storeRequest } from '../../state/store-request.ts';
import type { AttemptedStep } from './step.ts';

/**
 * Gives a step of a replay the result that the source has for it: it begins and ends at once, and costs nothing. A recorded
 * result is taken once at most. Most steps take that of their own place; `seen` detects that a step at another place has taken
 * it meanwhile, or that a step wants a result of another place while others take theirs.
 */
export interface ReuseStepCommand extends AttemptedStep {
  readonly type: 'step.reuse';
  /** The model that gave no answer, in whose place another one is asked. */
  readonly insteadOf?: string;
  /** Tallies of the run that it raises. */
  readonly counts: readonly string[];
  readonly recorded: NonNullable<EventOf<'step.completed'>['recorded']>;
  /** Numbers of steps that had taken results when this one was chosen; absent: results never move in this replay. */
  readonly seen?: { readonly steps: number; readonly moved: number };
  readonly failed?: true;
  readonly files?: readonly FileChange[];
  /** The request of a model call, if it is to be stored. */
  readonly asked?: NewRequest;
  /** The result; none: the source has only begun the step. */
  readonly bodies: readonly MessageBody[];
}

/** Begins and completes a step with a recorded result. */
export function reuseStep(context: DecisionContext, command: ReuseStepCommand): Refusal | undefined {
  const { plan, draft, emit, toMessageRef } = context;
  const live = liveActivation(draft, command);
  if (live.type === 'refused') return live;
  const { activation, step, name, request, insteadOf, recorded, failed, files = [], asked, bodies } = command;
  const record = draft.get(`step/${activation}/${step}`);
  const known = record?.name === name && record.request === request ? record : undefined;
  if (known?.result !== undefined)
    return refuse('STEP_COMPLETED', `Step ${step} of activation ${activation} is already completed.`);
  if (isTakenMeanwhile(context, command))
    return refuse('REUSE_MOVED', 'Another step took a recorded result at the same time. Choose again.');
  if (known?.reserved !== undefined) emit({ type: 'step.lost', activation, step });
  if (known === undefined)
    emit({
      type: 'step.started',
      activation,
      step,
      name,
      request,
      ...omitUndefined({ insteadOf, counts: raised(context, command) }),
      ...(asked === undefined ? {} : storeRequest(context, asked)),
    });
  if (bodies.length === 0) return undefined;
  const { id } = toMessageRef({ role: 'tool', source: '', body: 0 });
  emit({ type: 'step.completed', activation, step, result: id, ...omitUndefined({ failed }), recorded });
  if (files.length === 0) return undefined;
  const { frame, node } = locateActivation(plan, draft, live.record);
  emit({ type: 'files.changed', activation, node: node?.id ?? '', frame, step, files });
  return undefined;
}

function isTakenMeanwhile({ draft }: DecisionContext, { seen, recorded }: ReuseStepCommand): boolean {
  if (seen === undefined) return false;
  const { steps, moved } = runOf(draft).reused ?? { steps: 0, moved: 0 };
  return moved !== seen.moved || (recorded.from !== undefined && steps !== seen.steps);
}

function raised(
  { draft }: DecisionContext,
  { counts }: ReuseStepCommand,
): Readonly<Record<string, number>> | undefined {
  if (counts.length === 0) return undefined;
  return Object.fromEntries(counts.map((key) => [key, (draft.get(`tally/${key}`) ?? 0) + 1]));
}
