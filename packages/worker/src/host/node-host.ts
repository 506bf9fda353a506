import type {
  CallToApprove,
  ChatReply,
  Host,
  MemoryFiles,
  MemoryWrite,
  Message,
  NodeEvent,
  PlanNode,
  Program,
  RecordedActivation,
  Skills,
  StateView,
  TokenCounts,
  ToolPolicies,
  Wait,
  Warning,
} from '@millrace/core';
import { addWarning, approvalsOf } from '@millrace/core';
import type { ActivationAttempt } from '../context/activation-attempt.ts';
import type { ActivationContext } from '../context/activation-context.ts';
import type { ApprovalState } from '../context/approvals.ts';
import { approvalState } from '../context/approvals.ts';
import type { Steps } from '../context/steps.ts';
import { unknownFacts } from '../context/steps.ts';
import { recall, remember } from '../memory/memory-access.ts';
import { createMemoryFiles } from '../memory/memory-files.ts';
import { storeAttachmentsIn } from '../models/attachment-contents.ts';
import { createChat } from '../models/chat.ts';
import type { McpServers } from './mcp.ts';
import { mcpServers } from './mcp.ts';
import { executeProgram, runProgram } from './program.ts';
import { isRepeated } from './repeated.ts';

/** Events, tokens and warnings of one execution of a node, for the terminations around it and for people. */
export interface NodeActivity {
  readonly events: readonly NodeEvent[];
  readonly tokens: TokenCounts;
  readonly warnings: readonly Warning[];
}

/** Activity of an execution that has used no host. */
export const noActivity: NodeActivity = { events: [], tokens: { prompt: 0, completion: 0 }, warnings: [] };

const noWrites: readonly MemoryWrite[] = [];

/** The signal of an attempt, or of its time limit; a getter, as most nodes never read it. */
interface SignalSource {
  readonly signal: AbortSignal;
}

/**
 * Host of a node in one attempt. A class, as a closure for each of its functions would cost every activation, of which
 * most use none. Its functions are getters: nodes may take them out of their host, as in `const { chat } = host`.
 */
export class NodeHost implements Host {
  readonly #attempt: ActivationAttempt;
  readonly #node: PlanNode;
  readonly #limit: SignalSource;
  #activity: { readonly events: NodeEvent[]; tokens: TokenCounts; readonly warnings: Warning[] } | undefined;
  #writes: MemoryWrite[] | undefined;
  #servers: McpServers | undefined;
  #ask: Host['ask'] | undefined;
  #chat: Host['chat'] | undefined;

  constructor(attempt: ActivationAttempt, node: PlanNode, limit: SignalSource) {
    this.#attempt = attempt;
    this.#node = node;
    this.#limit = limit;
  }

  /** Activity of the node so far. */
  get activity(): NodeActivity {
    return this.#activity ?? noActivity;
  }

  /** Memories to write to stores when the activation completes. */
  get memory(): readonly MemoryWrite[] {
    return this.#writes ?? noWrites;
  }

  /** Closes the connections that the node has opened; undefined when there are none. */
  close(): Promise<void> | undefined {
    return this.#servers?.close();
  }

  get run(): string {
    return this.#attempt.wake.run;
  }

  get node(): string {
    return this.#node.id;
  }

  get activation(): string {
    return this.#attempt.wake.activation;
  }

  get signal(): AbortSignal {
    return this.#limit.signal;
  }

  get compat(): boolean {
    return this.#attempt.context.plan.compat;
  }

  get isUnit(): boolean {
    return this.#attempt.context.record.unit !== undefined;
  }

  get isRepeated(): boolean {
    const { plan, graph } = this.#attempt.context;
    return isRepeated(plan, graph, this.#node);
  }

  get state(): unknown {
    return this.#attempt.context.state;
  }

  get answer(): Message | undefined {
    return this.#attempt.context.answer;
  }

  get openWorkspace(): Host['openWorkspace'] {
    return async () => (await this.#attempt.openFiles()).workspace;
  }

  get skills(): Skills {
    return this.#attempt.worker.skills;
  }

  get fetch(): typeof globalThis.fetch {
    return this.#attempt.worker.fetchFor(this.run);
  }

  get memoryFiles(): MemoryFiles {
    return createMemoryFiles(this.#attempt.loggingWorker, {
      ...this.#callContext(),
      write: (one) => this.#write([one]),
    });
  }

  get now(): Host['now'] {
    return () => this.#recorded?.settledAt ?? this.#attempt.worker.runs.now();
  }

  get runTime(): Host['runTime'] {
    const { replayed, stoodStillMs } = this.#attempt.context;
    const lagMs = replayed?.lagMs ?? 0;
    return () => this.#recorded?.settledRunTime ?? this.#attempt.worker.runs.now() - stoodStillMs - lagMs;
  }

  /** The recorded activation, whose times a replay measures until it makes a step. */
  get #recorded(): RecordedActivation | undefined {
    const { replayed } = this.#attempt.context;
    return replayed?.type !== 'recorded' || this.#attempt.isLive ? undefined : replayed.recorded;
  }

  get note(): Host['note'] {
    return (event) => this.#note(event);
  }

  get warn(): Host['warn'] {
    return (warning) => addWarning(this.#record().warnings, warning);
  }

  get chat(): Host['chat'] {
    return (request) => {
      this.#chat ??= this.#openChat();
      return this.#chat(request);
    };
  }

  /** Creates the access to models, which remembers the last reply and the model that has answered in the place of another one. */
  #openChat(): Host['chat'] {
    const { loggingWorker: worker, context, steps } = this.#attempt;
    const { run } = context.wake;
    return createChat(worker, {
      steps,
      plan: context.plan,
      signal: this.signal,
      sleep: this.#attempt.clock.sleep,
      onReply: (reply) => this.#noteReply(reply),
      place: { run, graph: context.graph.key, node: this.node },
      fetch: worker.fetchFor(run),
    });
  }

  get step(): Host['step'] {
    return (name, request, action, effect) => {
      const { worker, context, steps } = this.#attempt;
      const { signal } = this;
      const runs = (program: Program) => executeProgram(worker, this.#programContext(), program);
      const { once, approval, refused, runsProgram } = effect === 'none' ? {} : (effect ?? {});
      return steps.run({
        name,
        request,
        effect: effect === 'none' ? 'none' : runsProgram ? 'program' : 'outside',
        once,
        refused,
        approval: approval && ((state) => this.#approvalState(approval, state)),
        async action(_counts, doing) {
          const made = await action({ signal, runProgram: runs, ...doing });
          const value = await storeAttachmentsIn(worker.runs.blobsFor(context.wake.run), worker.mask.hideIn(made));
          if (once === undefined || made !== once.unknown) return { value };
          // A call that has just been lost is not repeated by the attempt that made it.
          return { value, ...unknownFacts(once.rule === 'repeat' ? 'tell' : once.rule) };
        },
      });
    };
  }

  get storeResults(): Host['storeResults'] {
    return async () => this.#attempt.storeSteps();
  }

  get undecided(): Host['undecided'] {
    return async (call) => {
      const state = this.#approvalState(call, await this.#attempt.steps.state());
      return state.type === 'open' ? state.call : undefined;
    };
  }

  get decisionOn(): Host['decisionOn'] {
    return async (call) => {
      const { steps, wake } = this.#attempt;
      const view = await steps.state();
      if (approvalsOf(view, wake.activation).length === 0) return undefined;
      const state = this.#approvalState({ ...call, rule: '' }, view);
      return state.type === 'open' ? undefined : state.decided;
    };
  }

  get toolPolicies(): ToolPolicies {
    const { worker, context } = this.#attempt;
    return { graphs: context.graph.toolPolicies ?? [], operator: worker.toolPolicy };
  }

  get recall(): Host['recall'] {
    return (request) => {
      this.#note({ kind: 'memory_query', text: request.query });
      return recall(this.#attempt.loggingWorker, this.#callContext(), request);
    };
  }

  get remember(): Host['remember'] {
    return async (experience, stores) => {
      this.#write(await remember(this.#attempt.loggingWorker, this.#callContext(), { experience, stores }));
    };
  }

  get ask(): Host['ask'] {
    return (wait) => {
      this.#ask ??= createAsk(this.#attempt.steps, this.#attempt.context);
      this.#note({ kind: 'human_input_requested', text: wait.prompt });
      return this.#ask(wait);
    };
  }

  get mcp(): Host['mcp'] {
    return (server) => {
      const { worker, wake } = this.#attempt;
      if (server.type === 'local') worker.sandbox.assertMayStartServers(wake.run);
      this.#servers ??= mcpServers(worker, { node: this.node, fetch: worker.fetchFor(wake.run), signal: this.signal });
      return this.#servers.connect(server);
    };
  }

  get runProgram(): Host['runProgram'] {
    return (program) => {
      const { script } = program;
      this.#note({ kind: 'code_execution', text: typeof script === 'string' ? script : script.main });
      return runProgram(this.#attempt.worker, this.#programContext(), program);
    };
  }

  #callContext() {
    const attempt = this.#attempt;
    const { context, steps, clock } = attempt;
    const openFiles = () => attempt.openFiles();
    return { context, steps, openFiles, signal: this.signal, sleep: clock.sleep };
  }

  #programContext() {
    return { ...this.#callContext(), node: this.#node };
  }

  #approvalState(call: CallToApprove, state: StateView): ApprovalState {
    const { worker, wake } = this.#attempt;
    return approvalState(call, { wake, state, now: worker.runs.now(), hideIn: (value) => worker.mask.hideIn(value) });
  }

  #note(event: NodeEvent): void {
    this.#record().events.push(event);
  }

  #record() {
    this.#activity ??= { events: [], tokens: noActivity.tokens, warnings: [] };
    return this.#activity;
  }

  #noteReply({ usage, toolCalls = [], warnings = [] }: ChatReply): void {
    const activity = this.#record();
    for (const warning of warnings) addWarning(activity.warnings, warning);
    for (const { name, arguments: text } of toolCalls) activity.events.push({ kind: 'tool_call_request', name, text });
    if (usage === undefined) return;
    const { prompt, completion } = activity.tokens;
    activity.tokens = { prompt: prompt + usage.promptTokens, completion: completion + usage.completionTokens };
  }

  #write(writes: readonly MemoryWrite[]): void {
    this.#writes ??= [];
    for (const write of writes) this.#writes.push(write);
  }
}

/** An answer, and the message that it came as: one message answers one question. */
interface QuestionAnswer {
  readonly id: string;
  readonly answer: Message;
}

/** Thrown through the step of a question that is still open; the step stays open until the answer arrives. */
class Unanswered extends Error {}

/** Questions of one attempt at an activation, each a step; the newest answer belongs to the first one without any. */
function createAsk(
  steps: Steps,
  { record, answer }: Pick<ActivationContext, 'record' | 'answer'>,
): (wait: Wait) => Promise<Message | undefined> {
  const used = new Set<string>();
  return async ({ memory: _shown, ...request }) => {
    try {
      const given = await steps.run<QuestionAnswer>({
        name: 'ask',
        request,
        effect: 'none',
        async action() {
          const id = record.answer?.id;
          if (id === undefined || answer === undefined || used.has(id)) throw new Unanswered();
          return { value: { id, answer } };
        },
      });
      used.add(given.id);
      return given.answer;
    } catch (error) {
      if (error instanceof Unanswered) return undefined;
      throw error;
    }
  };
}
