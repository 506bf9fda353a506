import type { Command, RecordedActivation, RecordedStep, Replay, RunId, StateView, Wake } from '@millrace/core';
import { messageOf, NodeError, withoutTenant } from '@millrace/core';
import type { ReplayedStep } from '@millrace/runtime';
import type { StepGuard } from '../context/activation-attempt.ts';
import type { ActivationContext } from '../context/activation-context.ts';
import { AttemptInterrupted } from '../context/interrupted.ts';
import type { StepKey } from '../context/steps.ts';
import type { WorkerContext } from '../context/worker-context.ts';
import type { ExecutionResult } from './execution-result.ts';

/**
 * Returns the recorded activation of the source of a replay. Its steps are submitted to the replay first, as if an earlier
 * attempt had made them: the node is then executed over recorded steps, as after a crash, and calls nothing. An attempt
 * that dies in between is followed by one that submits the rest.
 */
export async function replaySteps(worker: WorkerContext, wake: Wake, replay: Replay): Promise<ReplayedStep> {
  const replayed = await worker.runs.replayedStep(wake.run, wake.activation, replay);
  if (replayed.type === 'recorded') await submitSteps(worker, wake, replayed);
  return replayed;
}

type InRecord = Extract<ReplayedStep, { type: 'recorded' }>;

async function submitSteps(worker: WorkerContext, wake: Wake, { recorded, bodies }: InRecord): Promise<void> {
  for (;;) {
    const open = await worker.runs.open(wake.run, wake.activation, wake.token);
    if (open === undefined) return;
    const missing = recorded.steps.flatMap((step, at) =>
      isKnown(open.state, wake, { step, at }) ? [] : [{ step, at }],
    );
    if (missing.length === 0) return;
    const results = await Promise.all(missing.map(({ step }) => (step.result ? bodies([step.result]) : [])));
    const counted = new Map<string, number>();
    const commands = missing.flatMap(({ step, at }, index): readonly Command[] => {
      const place = {
        activation: wake.activation,
        token: wake.token,
        step: at,
        name: step.name,
        request: step.request,
      };
      const [body] = results[index] ?? [];
      const tallies = talliesOf(open.state, step, counted);
      const done = {
        ...(step.failed === undefined ? {} : { failed: step.failed }),
        ...(step.files === undefined ? {} : { files: step.files }),
      };
      const started: Command = { type: 'step.start', ...place, tallies };
      return body === undefined ? [started] : [started, { type: 'step.complete', ...place, ...done, bodies: [body] }];
    });
    const verdicts = await Promise.all(commands.map((command) => worker.runs.submit(wake.run, command)));
    // Another attempt has counted or submitted meanwhile: missing steps are submitted again. Any other refusal ends the attempt.
    const other = verdicts.find((verdict) => verdict.type === 'refused' && !retriedRefusals.has(verdict.code));
    if (other?.type === 'refused') throw new AttemptInterrupted(other.message);
  }
}

const retriedRefusals: ReadonlySet<string> = new Set(['TALLY_MOVED', 'STEP_BEGUN', 'STEP_COMPLETED', 'STEP_UNKNOWN']);

function isKnown(state: StateView, { activation }: Wake, { step, at }: { step: RecordedStep; at: number }): boolean {
  const known = state.get(`step/${activation}/${at}`);
  if (known?.name !== step.name || known.request !== step.request) return false;
  // A step without a result is only begun here, too.
  return step.result === undefined || known.result !== undefined;
}

/** Returns the tallies of a step, as they will be after the steps before it. */
function talliesOf(state: StateView, { counts = [] }: RecordedStep, counted: Map<string, number>) {
  const tallies: Record<string, number> = {};
  for (const key of counts) {
    const value = counted.get(key) ?? state.get(`tally/${key}`) ?? 0;
    tallies[key] = value;
    counted.set(key, value + 1);
  }
  return tallies;
}

/** Returns the guard of a replay, which makes no step that its journal has no result of; undefined where such steps are made. */
export function refuseNewSteps({ replayed, node }: ActivationContext): StepGuard {
  if (replayed?.type !== 'recorded' || replayed.goesLive) return undefined;
  return (step) => refuseStep(replayed, node?.id ?? '', step);
}

function refuseStep({ source, recorded }: InRecord, node: string, { step, name, request }: StepKey): never {
  const asks = `step ${step + 1} of activation ${recorded.activation} in node "${node}"`;
  const there = recorded.steps[step];
  if (there === undefined)
    throw diverged(source, `${asks} is "${name}", but the journal has ${recorded.steps.length} steps of it.`);
  if (there.name !== name) throw diverged(source, `${asks} is "${name}", but the journal has "${there.name}".`);
  if (there.request !== request)
    throw diverged(
      source,
      `${asks}, "${name}", asks something else: the hash of its request is ${request}, in the journal ${there.request}.`,
    );
  throw lastWord(source, recorded, `${asks}, "${name}", has no result in the journal.`);
}

/** Returns the error of a step that has no result in the source: the failure of the source, or none at all if it never ended. */
function lastWord(source: RunId, { failure, settledAt }: RecordedActivation, message: string): Error {
  if (failure !== undefined) return new NodeError(failure.code, failure.message);
  // The step was under way when the source ended, and so it will be here.
  if (settledAt === undefined)
    return new AttemptInterrupted(`the journal of ${withoutTenant(source)} ends before this`);
  return diverged(source, message);
}

/** Ends an activation that the source of the replay never had. */
export function assertRecorded({ replayed, node, record: { unit } }: ActivationContext): void {
  if (replayed?.type !== 'astray') return;
  const what = unit === undefined ? '' : `unit ${unit} of `;
  throw diverged(
    replayed.source,
    `${what}node "${node?.id ?? ''}" is due once more often than the journal has it, or at another place.`,
  );
}

type Suspension = Extract<ExecutionResult, { type: 'suspended' }>;

/** Returns a question with the answer that the journal has for it. */
export async function withRecordedAnswer(
  { replayed, node }: ActivationContext,
  suspended: Suspension,
): Promise<Suspension> {
  if (replayed?.type !== 'recorded') return suspended;
  const { source, recorded, bodies, answered, goesLive } = replayed;
  const ref = recorded.answers[answered];
  const [body] = ref === undefined ? [] : await bodies([ref.id]);
  if (ref !== undefined && body !== undefined) return { ...suspended, answer: messageOf(ref, body) };
  // The other run ended before an answer, or this run is to ask a person.
  if (recorded.settledAt === undefined || goesLive) return suspended;
  throw diverged(source, `node "${node?.id ?? ''}" asks a question that nobody has answered there.`);
}

/** Returns the error of a replay that diverges from its source. */
const diverged = (source: RunId, what: string): NodeError =>
  new NodeError('REPLAY_DIVERGED', `The replay diverges from run ${withoutTenant(source)}: ${what}`);
