import type { MemoryWrite } from '../../model/memory.ts';
import type { MessageBody, MessageRef } from '../../model/messages/message.ts';
import type { Plan } from '../../plan/plan.ts';
import type { NewMessage } from '../commands/new-message.ts';
import { evolve } from '../evolve/evolve.ts';
import type { ForkCommand } from '../handlers/fork.ts';
import type { Event } from '../records/event.ts';
import type { EntryOf, RecordOf } from '../records/records.ts';
import type { DecisionContext, DecisionStamp, Refusal } from '../state/decision-context.ts';
import { refuse } from '../state/decision-context.ts';
import type { Fold } from '../state/fold.ts';
import { hasEnded } from '../state/live.ts';
import { recordsAt } from '../state/records-at.ts';
import type { RunLimits } from '../state/run-limits.ts';
import { defaultRunLimits } from '../state/run-limits.ts';
import type { State, StateView } from '../state/state.ts';
import { Draft } from '../state/state.ts';
import { holdForWorkspace } from '../state/workspace-lock.ts';
import type { AgendaChange } from './agenda.ts';
import { evolveWithAgenda } from './agenda.ts';
import type { Command } from './command-handlers.ts';
import { handleCommand } from './command-handlers.ts';
import type { Decision } from './decision.ts';
import { withQueueAndIteration } from './decision.ts';

/** Commands, and the values that deciding them depends on. */
export interface Request {
  readonly commands: readonly Command[];
  readonly moment: DecisionStamp;
  /** Absent: no limits. */
  readonly limits?: RunLimits | undefined;
}

/** Outcome of one command. */
export type CommandVerdict =
  | { readonly type: 'accepted' }
  | Refusal
  /**
   * Deciding it threw: a limit would be exceeded (NodeError), or there is a bug. The decision contains nothing of it.
   */
  | { readonly type: 'crashed'; readonly error: unknown };

/**
 * Turns commands into one decision, in order, each on top of the results of those before it. Pure: the same plan,
 * state, commands and stamp give the same decision. A command that is refused or throws leaves no trace. One that brings the
 * result of a step with it is refused if the result is.
 */
export function decide(
  plan: Plan,
  state: StateView,
  request: Request,
): { readonly decision: Decision; readonly verdicts: readonly CommandVerdict[] } {
  const { commands, moment, limits } = request;
  const { unitsPerCommit } = limits ?? defaultRunLimits;
  let draft = new Draft(state, limits);
  const accepted: Changes[] = [];
  const decideNext = (command: Command, { at, isOnly }: { at: string; isOnly: boolean }): CommandVerdict => {
    // A single command needs no separate draft: the draft is discarded when the command is refused.
    const inner = isOnly ? draft : new Draft(draft, limits);
    // Each command has its own token. Otherwise, a wake of one command and the same one parked by the next would be
    // equal.
    const own = at === '' ? moment : { ...moment, nonce: `${moment.nonce}_${at}` };
    const changes = noChanges();
    const verdict = attempt(plan, inner, { command, moment: own, changes, unitsPerCommit });
    if (verdict.type === 'accepted') accepted.push(changes);
    if (inner !== draft && verdict.type === 'accepted') draft.merge(inner);
    if (inner === draft && verdict.type !== 'accepted') draft = new Draft(state, limits);
    return verdict;
  };
  const verdicts = commands.map((command, index): CommandVerdict => {
    const at = index === 0 ? '' : index.toString(36);
    const result = 'completes' in command ? command.completes : undefined;
    if (result === undefined) return decideNext(command, { at, isOnly: commands.length === 1 });
    const stored = decideNext(result, { at: `${at}_r`, isOnly: commands.length === 1 });
    // What follows from a result that the run does not have must not happen; the result stands whatever follows from it.
    return stored.type === 'accepted' ? decideNext(command, { at, isOnly: false }) : stored;
  });
  const { events, bodies, wakes, later, settled, memory } = together(accepted);
  return { decision: { events, bodies, wakes, later, settled, memory, writes: draft.writes() }, verdicts };
}

/** Changes that a command causes, besides those of the state. */
interface Changes extends AgendaChange {
  readonly events: Event[];
  readonly bodies: { id: MessageRef['id']; body: MessageBody }[];
  readonly memory: MemoryWrite[];
}

const noChanges = (): Changes => ({ events: [], bodies: [], wakes: [], later: [], settled: [], memory: [] });

/** Returns the changes of all commands, in their order. */
function together(accepted: readonly Changes[]): Changes {
  const [first = noChanges(), ...others] = accepted;
  for (const { events, bodies, wakes, later, settled, memory } of others) {
    addAll(first.events, events);
    addAll(first.bodies, bodies);
    addAll(first.wakes, wakes);
    addAll(first.later, later);
    addAll(first.settled, settled);
    addAll(first.memory, memory);
  }
  return first;
}

interface CommandInput {
  readonly command: Command;
  readonly moment: DecisionStamp;
  /** Receives the changes of the command. */
  readonly changes: Changes;
  readonly unitsPerCommit: number;
}

function attempt(plan: Plan, draft: Draft, input: CommandInput): CommandVerdict {
  try {
    return decideOne(plan, draft, input);
  } catch (error) {
    return { type: 'crashed', error };
  }
}

function decideOne(
  plan: Plan,
  draft: Draft,
  { command, moment, changes, unitsPerCommit }: CommandInput,
): CommandVerdict {
  const { run, at, nonce } = moment;
  const bodies = 'bodies' in command ? command.bodies : [];
  const fold: Fold = { plan, draft, at };
  if (command.type === 'fork') {
    const refusal = foldHistory(fold, command);
    if (refusal !== undefined) return refusal;
    keepHistory(changes, command);
  }
  const firstBody = draft.get('run')?.nextMessage ?? 1;
  const idOf = (at: number): MessageRef['id'] => `m${firstBody + at}`;
  const history = changes.events.length;
  const target = { run, agenda: changes };
  const authored: Changes['bodies'] = [];
  /** The first event brings the bodies of the command. */
  const broughtWithNext = () => (changes.events.length === history ? bodies.length : 0);
  /** Number of messages that were written after the last event. */
  let unnamed = 0;
  const emit = (event: Event) => {
    const routed = withQueueAndIteration(plan, draft, holdForWorkspace(plan, draft, event));
    const brought = broughtWithNext();
    const recorded = brought > 0 ? withBodies(routed, brought) : routed;
    evolveWithAgenda(fold, recorded, target);
    changes.events.push(recorded);
    unnamed = 0;
  };
  const toMessageRef = ({ role, source, keep, body }: NewMessage): MessageRef => {
    const id = typeof body === 'number' ? idOf(body) : body;
    return keep === undefined ? { id, role, source } : { id, role, source, keep };
  };
  const writeMessage = (body: MessageBody): MessageRef => {
    const id: MessageRef['id'] = `m${(draft.get('run')?.nextMessage ?? 1) + broughtWithNext() + unnamed}`;
    unnamed += 1;
    authored.push({ id, body });
    return { id, role: body.role, source: 'termination' };
  };
  const context: DecisionContext = { run, at, nonce, plan, draft, unitsPerCommit, emit, toMessageRef, writeMessage };
  const refusal = refuseIfEnded(context, command) ?? handleCommand(context, command);
  if (refusal !== undefined) return refusal;
  if (command.type === 'settle' && command.result.type === 'completed')
    addAll(changes.memory, command.result.memory ?? []);
  bodies.forEach((body, at) => {
    changes.bodies.push({ id: idOf(at), body });
  });
  addAll(changes.bodies, authored);
  return { type: 'accepted' };
}

/** Returns an event with which so many more bodies are stored. */
function withBodies(event: Event, brought: number): Event {
  // Before the spread, as a field that is added after one takes much longer.
  if (event.bodies === undefined) return { bodies: brought, ...event };
  return { ...event, bodies: event.bodies + brought };
}

/** Appends entries one by one: a single call with very many arguments overflows the stack. */
function addAll<Entry>(list: Entry[], entries: readonly Entry[]): void {
  for (const entry of entries) list.push(entry);
}

/** Folds the history of a forked run. It belongs to no decision: nothing is woken for it. */
function foldHistory(fold: Fold, { history }: ForkCommand): Refusal | undefined {
  const { draft, at } = fold;
  if (draft.get('run') !== undefined) return refuse('RUN_EXISTS', 'A run with this id exists already.');
  if (history.type === 'events') for (const event of history.events) evolve(fold, event);
  else beginWith(draft, history.state, at);
  return undefined;
}

/** Takes over a state, as if all of it had come about at this time. */
function beginWith(draft: Draft, state: State, at: number): void {
  for (const [key, value] of state.records) draft.set(key, value as RecordOf<typeof key>); // the record under this key
  for (const [key, value] of recordsAt(state, at)) draft.set(key, value);
  for (const [key, entries] of state.lists) draft.append(key, entries as EntryOf<typeof key>[]); // likewise
}

function keepHistory({ events, bodies, memory }: Changes, fork: ForkCommand): void {
  if (fork.history.type === 'events') addAll(events, fork.history.events);
  addAll(bodies, fork.copies);
  addAll(memory, fork.memory);
}

/** Refuses commands for a run that has ended, except those that continue it. */
function refuseIfEnded({ draft }: DecisionContext, { type }: Command): Refusal | undefined {
  if (type === 'start') return undefined;
  const run = draft.get('run');
  if (run === undefined) return refuse('RUN_UNKNOWN', 'The run does not exist.');
  // A fork continues with work that a stopped or cancelled run had not done yet.
  if (type === 'resume' || type === 'retry' || type === 'fork' || !hasEnded(run)) return undefined;
  // A signal that the run has accepted before is accepted again; a result that came too late is kept for people.
  if (type === 'signal' || type === 'step.late') return undefined;
  return refuse('RUN_ENDED', `The run has ended: ${run.status}.`);
}
