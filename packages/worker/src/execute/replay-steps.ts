import type { RecordedActivation, ReuseStepCommand, RunId, Wait, Wake } from '@millrace/core';
import { isSameQuestion, messageOf, NodeError, omitUndefined, withoutTenant } from '@millrace/core';
import type { FoundStep, ReplayedCall, ReplayedStep } from '@millrace/runtime';
import type { ActivationContext } from '../context/activation-context.ts';
import { AttemptInterrupted } from '../context/interrupted.ts';
import type { DescribeRequest, RecallStep, StepEffect } from '../context/step.ts';
import type { StepPlace } from '../context/step-journal.ts';
import type { WorkerContext } from '../context/worker-context.ts';
import type { ExecutionResult } from './execution-result.ts';

type InReplay = Extract<ReplayedStep, { type: 'recorded' | 'new' }>;
/** Returns the command that gives a step of a replay a recorded result, without the result. */
function reuseCommand(
  { activation, token }: Wake,
  { step, name, request, insteadOf }: StepPlace,
  { step: recorded, from }: FoundStep,
): Omit<ReuseStepCommand, 'bodies'> {
  const { counts = [], failed, files } = recorded;
  return {
    type: 'step.reuse',
    activation,
    token,
    step,
    name,
    request,
    ...omitUndefined({ insteadOf }),
    counts,
    recorded: { ...recorded.recorded, ...omitUndefined({ from }) },
    ...omitUndefined({ failed, files }),
  };
}

/**
 * Returns the source of results for the steps of a replay; undefined where steps are made. A step gets its recorded result
 * when the node asks for it, as after a crash, and calls nothing.
 */
export function recallSteps(worker: WorkerContext, context: ActivationContext): RecallStep | undefined {
  const { replayed, node, wake } = context;
  if (replayed === undefined || replayed.type === 'live') return undefined;
  const name = node?.id ?? '';
  const taking =
    (choose: (place: StepPlace, effect: StepEffect) => Choice): RecallStep =>
    (place, effect, describe) =>
      take(worker, wake, { replayed, place, describe, choose: () => choose(place, effect) });
  if (replayed.type === 'recorded' && replayed.goesLive) return taking((place) => recordedAt(replayed, place));
  switch (replayed.mode) {
    case 'strict':
      return async (place, effect, describe) => {
        const found = recordedAt(replayed, place);
        if (found !== undefined && found.step.result === undefined) await beginOnly(worker, wake, { place, found });
        return (await taking(() => found)(place, effect, describe)) || refuseStep(replayed, name, place);
      };
    case 'position':
      return taking((place) => atPosition(replayed, name, place));
    case 'reuse':
      return taking(
        async (place, effect) =>
          (await replayed.find({ ...place, where: searchOf[effect] })) ?? notFound(replayed, place, effect),
      );
  }
}

/** Returns the recorded step at the same place with the same request; it may have no result. */
function recordedAt(replayed: InReplay, { step, name, request }: StepPlace): FoundStep | undefined {
  const there = replayed.type === 'recorded' ? replayed.recorded.steps[step] : undefined;
  const isSame = there !== undefined && there.name === name && there.request === request;
  return isSame ? { step: there } : undefined;
}

/** Begins a step that the source has only begun, so that a replay of the replay finds it, too. */
async function beginOnly(
  worker: WorkerContext,
  wake: Wake,
  { place, found }: { readonly place: StepPlace; readonly found: FoundStep },
): Promise<void> {
  const { run } = wake;
  const verdict = await reached(run, worker.runs.submit(run, { ...reuseCommand(wake, place, found), bodies: [] }));
  if (verdict.type === 'refused') throw new AttemptInterrupted(verdict.message);
}

/**
 * Places at which `reuse` looks for a result. What reads the world reads it as it was at this place, and what ran in the files
 * of the run is only the same while these are.
 */
const searchOf = {
  model: 'anywhere',
  outside: 'anywhere',
  program: 'here until live',
  none: 'here',
} as const satisfies Record<StepEffect, ReplayedCall['where']>;

/** Handles a step that `reuse` finds no result of: it is made, unless it may change the world. */
function notFound(replayed: InReplay, { step, name, request }: StepPlace, effect: StepEffect): undefined {
  const there = replayed.type === 'recorded' ? replayed.recorded.steps[step] : undefined;
  const isSame = there !== undefined && there.name === name && there.request === request && there.result === undefined;
  if (isSame && replayed.type === 'recorded' && replayed.recorded.failure !== undefined) {
    const { code, message } = replayed.recorded.failure;
    throw new NodeError(code, message);
  }
  if (effect !== 'outside') return undefined;
  throw new NodeError(
    'REPLAY_TOOL_UNKNOWN',
    `"${name}" was not called: run ${withoutTenant(replayed.source)} has no call of it with this request, and a replay changes nothing in the world.`,
  );
}

/** Returns the recorded step at the same place; throws if there is none of the kind. */
function atPosition(replayed: InReplay, node: string, place: StepPlace): FoundStep {
  const there = replayed.type === 'recorded' ? replayed.recorded.steps[place.step] : undefined;
  const isKind = there !== undefined && kindOf(there.name) === kindOf(place.name);
  if (!isKind || there.result === undefined) return refuseStep(replayed, node, place);
  return { step: there };
}

/** The first word of the name of a step says what is done, such as `chat`, and the rest names with what. */
const kindOf = (name: string): string => name.split(' ', 1)[0] ?? '';

type Choice = FoundStep | undefined | Promise<FoundStep | undefined>;

interface Taking {
  readonly replayed: InReplay;
  readonly place: StepPlace;
  /** Describes the request of a call of a model for the journal. */
  readonly describe: DescribeRequest | undefined;
  /** Returns the recorded step to take; undefined: the step is made. */
  readonly choose: () => Choice;
}

/** Gives a step a recorded result. Returns false if it has none. */
async function take(
  worker: WorkerContext,
  wake: Wake,
  { replayed, place, describe, choose }: Taking,
): Promise<boolean> {
  const { run, activation, token } = wake;
  for (let isMoved = false; ; isMoved = true) {
    const opened = isMoved ? worker.runs.refresh(run) : worker.runs.open(run, activation, token);
    const open = await reached(run, opened);
    if (open === undefined) throw new AttemptInterrupted(`there is no run ${run} any more`);
    // Read before the journal is, which then contains at least these.
    const seen = open.state.get('run')?.reused ?? { steps: 0, moved: 0 };
    const found = await choose();
    if (found?.step.result === undefined) return false;
    const bodies = await replayed.bodies([found.step.result]);
    const asked = describe?.();
    const command = { ...reuseCommand(wake, place, found), seen, bodies, ...omitUndefined({ asked }) };
    const verdict = await reached(run, worker.runs.submit(run, command));
    if (verdict.type === 'accepted' || verdict.code === 'STEP_COMPLETED') return true;
    if (verdict.code !== 'REUSE_MOVED') throw new AttemptInterrupted(verdict.message);
  }
}

async function reached<T>(run: RunId, asked: T | Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw new AttemptInterrupted(`run ${run} could not be reached`, error);
  }
}

function refuseStep(replayed: InReplay, node: string, { step, name, request }: StepPlace): never {
  const { source } = replayed;
  if (replayed.type === 'new')
    throw diverged(
      source,
      `node "${node}" runs more often than in that run, or at another place; its step ${step} is "${name}".`,
    );
  const { recorded } = replayed;
  const asks = `step ${step} of activation ${recorded.activation} in node "${node}"`;
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

type Suspension = Extract<ExecutionResult, { type: 'suspended' }>;

/** Returns a question with the answer that the journal has for it. */
export async function withRecordedAnswer(
  { replayed, node }: ActivationContext,
  suspended: Suspension,
): Promise<Suspension> {
  // A call that the source has made needs no approval: its result is taken.
  if (replayed === undefined || replayed.type === 'live' || suspended.wait.kind === 'approval') return suspended;
  const { source, bodies } = replayed;
  const asks = `node "${node?.id ?? ''}" asks a question that nobody answered in that run`;
  if (replayed.type === 'new') throw diverged(source, `${asks}.`);
  const { mode, recorded, answered, goesLive } = replayed;
  const given = recorded.answers[answered];
  const isSame = given !== undefined && (mode === 'position' || isSameQuestion(given.wait, suspended.wait));
  if (isSame || (given !== undefined && goesLive)) {
    const [body] = await bodies([given.message.id]);
    if (body !== undefined) return { ...suspended, answer: messageOf(given.message, body) };
  }
  // The other run ended before an answer, or this run is to ask a person.
  if (given === undefined && (recorded.settledAt === undefined || goesLive)) return suspended;
  throw diverged(source, given === undefined ? `${asks}.` : `${asks}: ${differenceOf(given.wait, suspended.wait)}.`);
}

/** Returns in which text two questions differ. */
function differenceOf(there: Wait, here: Wait): string {
  if (there.prompt !== here.prompt) return `it is "${here.prompt}" in place of "${there.prompt}"`;
  if (there.input === here.input) return 'it takes another type of answer';
  const [before, now] = [linesOf(there), linesOf(here)];
  const at = now.findIndex((line, index) => line !== before[index]);
  const line = (of: readonly string[]) => `"${(of[at === -1 ? now.length : at] ?? '').slice(0, longestLine)}"`;
  return `its input has ${line(now)} in place of ${line(before)}`;
}

/** Characters of a line of an input that an error shows. */
const longestLine = 160;

const linesOf = ({ input }: Wait): readonly string[] => (input ?? '').split('\n');

/** Returns the error of a replay that diverges from its source. */
const diverged = (source: RunId, what: string): NodeError =>
  new NodeError('REPLAY_DIVERGED', `The replay diverges from run ${withoutTenant(source)}: ${what}`);
