import type { NamedMessage } from '../engine/records/asked-request.ts';
import { readNamed } from '../engine/records/asked-request.ts';
import type { EventOf, JournalEntry } from '../engine/records/event.ts';
import type { UnknownRule } from '../model/failure.ts';
import type { ActivationId, MessageId } from '../model/ids.ts';
import { omitUndefined } from '../model/omit-undefined.ts';
import type { Usage } from '../model/usage/usage.ts';

/** A call of an activation, as the journal has it. */
export interface LoggedCall {
  readonly step: number;
  readonly name: string;
  readonly startedAt: number;
  /** The model that gave no answer, in whose place another one was asked. */
  readonly insteadOf?: string;
  readonly completedAt?: number;
  /** Message with the result; absent while the call is executing. */
  readonly result?: MessageId;
  readonly usage?: Usage;
  /** The model that was asked. */
  readonly model?: string;
  readonly failed?: true;
  /** Its outcome was unknown, and this rule has decided what follows. */
  readonly unknown?: UnknownRule;
  /** A result came that does not count. */
  readonly late?: true;
  /** The request is in the journal. */
  readonly isRecorded: boolean;
}

/** The request of a call, by the messages that hold its contents. */
export interface LoggedRequest {
  readonly settings: MessageId | undefined;
  /** Absent: the model had no tools. */
  readonly tools: MessageId | undefined;
  readonly messages: readonly LoggedMessage[];
}

/** A message to a model. */
export interface LoggedMessage extends Pick<NamedMessage, 'role' | 'calls' | 'call'> {
  /** The message that holds its content. */
  readonly id: MessageId;
  /** Its content is the result of this step. */
  readonly step?: number;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface Call extends Mutable<LoggedCall> {
  readonly asked?: NonNullable<EventOf<'step.started'>['asked']>;
  /** The call of the activation whose first messages it has. */
  readonly base?: Call;
  /** Calls by their numbers; those before it are as they were then. */
  readonly before: readonly Call[];
}

/** Fold of the calls of one activation, without those that a later attempt made void. */
export class CallLog {
  readonly #activation: ActivationId;
  /** Replaced when calls become void: calls that were made before refer to it. */
  #calls: Call[] = [];

  constructor(activation: ActivationId) {
    this.#activation = activation;
  }

  /** Adds the next entry of the journal; entries of other activations are passed over. */
  add({ event, at }: JournalEntry): void {
    if (!('activation' in event) || event.activation !== this.#activation) return;
    if (event.type === 'step.started') this.#begin(event, at);
    else if (event.type === 'step.completed') this.#complete(event, at);
    else if (event.type === 'step.unknown') this.#note(event.step, { unknown: event.rule });
    else if (event.type === 'step.late') this.#note(event.step, { late: true });
    else if (event.type === 'run.forked') this.#calls = [];
  }

  /** All calls, in their order. */
  get calls(): readonly LoggedCall[] {
    // Calls that were begun out of their order may leave a gap.
    return this.#calls.flatMap(({ asked: _asked, base: _base, before: _before, ...call }) => [call]);
  }

  /** Returns the request of a call; undefined if the journal does not have it. */
  request(step: number): LoggedRequest | undefined {
    const call = this.#calls[step];
    if (call?.asked === undefined) return undefined;
    const chain = chainOf(call);
    const tools = chain.findLast(({ asked }) => asked?.tools !== undefined)?.asked?.tools;
    return {
      settings: chain.findLast(({ asked }) => asked?.settings !== undefined)?.asked?.settings,
      tools: tools === 'none' ? undefined : tools,
      messages: messagesOf(chain),
    };
  }

  #begin({ step, name, insteadOf, asked }: EventOf<'step.started'>, startedAt: number): void {
    if (step < this.#calls.length) this.#calls = this.#calls.slice(0, step);
    const before = this.#calls;
    const base = asked?.base === undefined ? undefined : before[asked.base];
    const isRecorded = asked !== undefined;
    before[step] = { step, name, startedAt, isRecorded, before, ...omitUndefined({ insteadOf, asked, base }) };
  }

  #note(step: number, fact: Pick<LoggedCall, 'unknown' | 'late'>): void {
    const call = this.#calls[step];
    if (call !== undefined) Object.assign(call, fact);
  }

  #complete({ step, result, usage, model, failed }: EventOf<'step.completed'>, completedAt: number): void {
    const call = this.#calls[step];
    if (call === undefined) return;
    Object.assign(call, { completedAt, result });
    if (usage !== undefined) call.usage = usage;
    if (model !== undefined) call.model = model;
    if (failed !== undefined) call.failed = failed;
  }
}

/** Returns the calls that a request builds on, the first one first, and itself. */
function chainOf(call: Call): readonly Call[] {
  const chain: Call[] = [];
  for (let one: Call | undefined = call; one !== undefined; one = one.base) chain.push(one);
  return chain.reverse();
}

function messagesOf(chain: readonly Call[]): readonly LoggedMessage[] {
  const messages: LoggedMessage[] = [];
  for (const { asked, before } of chain) {
    messages.length = Math.min(messages.length, asked?.kept ?? 0);
    for (const named of readNamed(asked?.messages ?? '')) {
      const message = located(named, before);
      if (message !== undefined) messages.push(message);
    }
  }
  return messages;
}

function located({ from, ...named }: NamedMessage, before: readonly Call[]): LoggedMessage | undefined {
  if (from.startsWith('m')) return { ...named, id: from as MessageId }; // its form
  const step = Number(from.slice(1));
  const id = before[step]?.result;
  return id === undefined ? undefined : { ...named, id, step };
}
