import { type ActivationId, type RunId, rootScope, type ScopeId, type Wake } from '../model/ids.ts';
import type { MessageBody, MessageRef } from '../model/message.ts';
import type { Plan } from '../plan/plan.ts';
import type { Brought, Command } from './command.ts';
import type { Decision } from './decision.ts';
import type { Event } from './event.ts';
import { evolve } from './evolve.ts';
import { runOf } from './lookup.ts';
import { type Refusal, refuse } from './refusal.ts';
import { answer } from './commands/answer.ts';
import { cancel } from './commands/cancel.ts';
import { claim } from './commands/claim.ts';
import { settle } from './commands/settle.ts';
import { start } from './commands/start.ts';
import { completeStep, startStep } from './commands/step.ts';
import { Draft, type StateView } from './state.ts';

/** What a decision depends on beside plan, state and command: the run's name, the time, and a token for what it wakes. */
export interface Moment {
  readonly run: RunId;
  readonly at: number;
  /** Unique for each attempt to commit. */
  readonly nonce: string;
}

/** What became of one command. */
export type Verdict =
  | { readonly type: 'accepted' }
  | Refusal
  /** Deciding it threw, which is a bug; nothing of it is in the decision. */
  | { readonly type: 'crashed'; readonly error: unknown };

/** Deciding one command: a draft that moves on with every event. */
export interface Deciding extends Moment {
  readonly plan: Plan;
  readonly draft: Draft;
  readonly emit: (event: Event) => void;
  /** Makes a brought message one of the run; call before the first event, which must carry `bodies`. */
  readonly refOf: (brought: Brought) => MessageRef;
}

/**
 * Turns commands into one decision, in order, each on top of what the ones before it came to. Pure: the same plan,
 * state, commands and moment give the same decision. A command that is refused or throws leaves no trace.
 */
export function decide(
  plan: Plan,
  state: StateView,
  request: { readonly commands: readonly Command[]; readonly moment: Moment },
): { readonly decision: Decision; readonly verdicts: readonly Verdict[] } {
  const draft = new Draft(state);
  const collected: Collected = { events: [], bodies: [], wakes: [], settled: [] };
  const verdicts = request.commands.map((command) => decideOne(plan, draft, { command, moment: request.moment, collected }));
  return { decision: { ...collected, writes: draft.writes() }, verdicts };
}

interface Collected {
  readonly events: Event[];
  readonly bodies: { id: MessageRef['id']; body: MessageBody }[];
  readonly wakes: Wake[];
  readonly settled: Wake[];
}

interface One {
  readonly command: Command;
  readonly moment: Moment;
  readonly collected: Collected;
}

function decideOne(plan: Plan, outer: Draft, { command, moment, collected }: One): Verdict {
  const draft = new Draft(outer);
  const bodies = 'bodies' in command ? command.bodies : [];
  const firstBody = outer.get('run')?.nextMessage ?? 1;
  const idOf = (at: number): MessageRef['id'] => `m${firstBody + at}`;
  const events: Event[] = [];
  const wakes: Wake[] = [];
  const settled: Wake[] = [];
  const emit = (event: Event) => {
    const full = events.length === 0 && bodies.length > 0 ? { ...event, bodies: bodies.length } : event;
    noteWakes(draft, full, { run: moment.run, wakes, settled });
    evolve({ plan, draft, at: moment.at }, full);
    events.push(full);
  };
  const refOf = ({ body, ...rest }: Brought): MessageRef => ({ ...rest, id: typeof body === 'number' ? idOf(body) : body });
  try {
    const refusal = perform({ ...moment, plan, draft, emit, refOf }, command);
    if (refusal !== undefined) return refusal;
  } catch (error) {
    return { type: 'crashed', error };
  }
  outer.merge(draft);
  collected.events.push(...events);
  collected.wakes.push(...wakes);
  collected.settled.push(...settled);
  bodies.forEach((body, at) => {
    collected.bodies.push({ id: idOf(at), body });
  });
  return { type: 'accepted' };
}

function perform(deciding: Deciding, command: Command): Refusal | undefined {
  if (command.type === 'start') return start(deciding, command);
  const run = deciding.draft.get('run');
  if (run === undefined) return refuse('RUN_UNKNOWN', 'There is no such run.');
  if (run.status !== 'running') return refuse('RUN_ENDED', `The run has ended: ${run.status}.`);
  switch (command.type) {
    case 'claim':
      return claim(deciding, command);
    case 'settle':
      return settle(deciding, command);
    case 'answer':
      return answer(deciding, command);
    case 'step.start':
      return startStep(deciding, command);
    case 'step.complete':
      return completeStep(deciding, command);
    case 'cancel':
      return cancel(deciding, command);
  }
}

interface Notes {
  readonly run: RunId;
  readonly wakes: Wake[];
  readonly settled: Wake[];
}

/** Which wakes an event asks for, and which it makes needless; looked up before the event is folded. */
function noteWakes(draft: Draft, event: Event, { run, wakes, settled }: Notes): void {
  const end = (activation: ActivationId) => {
    const record = draft.get(`activation/${activation}`);
    if (record !== undefined) settled.push({ run, activation, token: record.token });
  };
  switch (event.type) {
    case 'activation.ready':
    case 'activation.answered':
      wakes.push({ run, activation: event.activation, token: event.token });
      return;
    case 'activation.completed':
    case 'activation.opened':
    case 'activation.failed':
    case 'activation.suspended':
      end(event.activation);
      return;
    case 'run.finished':
      for (const key of draft.keys('activation/')) end(key.slice('activation/'.length) as ActivationId);
      return;
    default:
  }
}

/** The id of the next activation. */
export const nextActivation = (draft: Draft): ActivationId => `a${runOf(draft).nextActivation}`;
/** The id of the next scope; the first is the root's. */
export const nextScope = (draft: Draft): ScopeId => (draft.get('run') === undefined ? rootScope : `s${runOf(draft).nextScope}`);
