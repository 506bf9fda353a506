import type { ActivationId, RunId, Wake } from '../model/ids.ts';
import type { MemoryWrite } from '../model/memory.ts';
import type { MessageBody, MessageRef } from '../model/message.ts';
import type { Plan } from '../plan/plan.ts';
import type { Brought, Command } from './command.ts';
import { answer } from './commands/answer.ts';
import { cancel } from './commands/cancel.ts';
import { claim } from './commands/claim.ts';
import { settle } from './commands/settle.ts';
import { start } from './commands/start.ts';
import { completeStep, startStep } from './commands/step.ts';
import type { Deciding, Moment } from './deciding.ts';
import type { Decision } from './decision.ts';
import type { Event } from './event.ts';
import { evolve } from './evolve.ts';
import type { Refusal } from './refusal.ts';
import { refuse } from './refusal.ts';
import type { StateView } from './state.ts';
import { Draft } from './state.ts';

/** What became of one command. */
export type Verdict =
  | { readonly type: 'accepted' }
  | Refusal
  /** Deciding it threw, which is a bug; nothing of it is in the decision. */
  | { readonly type: 'crashed'; readonly error: unknown };

/**
 * Turns commands into one decision, in order, each on top of what the ones before it came to. Pure: the same plan,
 * state, commands and moment give the same decision. A command that is refused or throws leaves no trace.
 */
export function decide(
  plan: Plan,
  state: StateView,
  request: { readonly commands: readonly Command[]; readonly moment: Moment },
): { readonly decision: Decision; readonly verdicts: readonly Verdict[] } {
  const { commands, moment } = request;
  let draft = new Draft(state);
  const collected: Collected = { events: [], bodies: [], wakes: [], settled: [], memory: [] };
  const verdicts = commands.map((command) => {
    // A command on its own needs no draft of its own: what it leaves when it comes to nothing is thrown away whole.
    const inner = commands.length === 1 ? draft : new Draft(draft);
    const verdict = decideOne(plan, inner, { command, moment, collected });
    if (inner !== draft && verdict.type === 'accepted') draft.merge(inner);
    if (inner === draft && verdict.type !== 'accepted') draft = new Draft(state);
    return verdict;
  });
  return { decision: { ...collected, writes: draft.writes() }, verdicts };
}

interface Collected {
  readonly events: Event[];
  readonly bodies: { id: MessageRef['id']; body: MessageBody }[];
  readonly wakes: Wake[];
  readonly settled: Wake[];
  readonly memory: MemoryWrite[];
}

interface One {
  readonly command: Command;
  readonly moment: Moment;
  readonly collected: Collected;
}

function decideOne(plan: Plan, draft: Draft, { command, moment, collected }: One): Verdict {
  const bodies = 'bodies' in command ? command.bodies : [];
  const firstBody = draft.get('run')?.nextMessage ?? 1;
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
  const refOf = ({ body, ...rest }: Brought): MessageRef => ({
    ...rest,
    id: typeof body === 'number' ? idOf(body) : body,
  });
  try {
    const refusal = perform({ ...moment, plan, draft, emit, refOf }, command);
    if (refusal !== undefined) return refusal;
  } catch (error) {
    return { type: 'crashed', error };
  }
  collected.events.push(...events);
  collected.wakes.push(...wakes);
  collected.settled.push(...settled);
  if (command.type === 'settle' && command.result.type === 'completed') {
    collected.memory.push(...(command.result.memory ?? []));
  }
  bodies.forEach((body, at) => {
    collected.bodies.push({ id: idOf(at), body });
  });
  return { type: 'accepted' };
}

function perform(deciding: Deciding, command: Command): Refusal | undefined {
  const ended = command.type === 'start' ? undefined : unlessRunning(deciding);
  if (ended !== undefined) return ended;
  switch (command.type) {
    case 'start':
      return start(deciding, command);
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
    case 'fail':
      deciding.emit({ type: 'run.finished', status: 'failed', error: command.error });
      return undefined;
  }
}

function unlessRunning({ draft }: Deciding): Refusal | undefined {
  const run = draft.get('run');
  if (run === undefined) return refuse('RUN_UNKNOWN', 'There is no such run.');
  return run.status === 'running' ? undefined : refuse('RUN_ENDED', `The run has ended: ${run.status}.`);
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
  if (event.type === 'activation.ready' || event.type === 'activation.answered') {
    wakes.push({ run, activation: event.activation, token: event.token });
  } else if (event.type === 'run.finished') {
    for (const key of draft.keys('activation/')) end(key.slice('activation/'.length) as ActivationId); // the key's form
  } else if (event.type.startsWith('activation.') && event.type !== 'activation.started' && 'activation' in event) {
    end(event.activation);
  }
}
