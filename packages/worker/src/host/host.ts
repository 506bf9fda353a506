import type { Host, MemoryWrite, PlanNode } from '@millrace/core';
import type { ActivationContext } from '../context/activation-context.ts';
import type { ActivationFiles } from '../context/activation-files.ts';
import type { Steps } from '../context/steps.ts';
import type { TerminationObservation } from '../context/termination-observation.ts';
import type { WorkerContext } from '../context/worker-context.ts';
import { createMemoryAccess } from '../memory/memory-access.ts';
import { createMemoryFiles } from '../memory/memory-files.ts';
import { storeAttachmentsIn } from '../models/attachment-contents.ts';
import { createChat } from '../models/chat.ts';
import { createAsk } from './ask-person.ts';
import type { McpServers } from './mcp.ts';
import { mcpServers } from './mcp.ts';
import { runProgram } from './program.ts';

/** A host, and the end of what it keeps open. */
export interface OpenHost {
  readonly host: Host;
  /** What memory stores are to remember when the activation completes; grows while the node is at work. */
  readonly memory: readonly MemoryWrite[];
  /** Undefined when there is nothing to be closed. */
  close(): Promise<void> | undefined;
}

/** What a node is given to work with in one attempt. Most nodes use little of it, so nothing is made before it is used. */
export function createHost(
  worker: WorkerContext,
  {
    assignment: context,
    node,
    signal,
    steps,
    files,
    telling: observation,
  }: {
    readonly assignment: ActivationContext;
    readonly node: PlanNode;
    readonly signal: AbortSignal;
    readonly steps: Steps;
    readonly files: ActivationFiles;
    readonly telling: TerminationObservation;
  },
): OpenHost {
  const { wake, plan, answer, state, replayed } = context;
  const settledAt = replayed?.type === 'recorded' ? replayed.recorded.settledAt : undefined;
  const memory: MemoryWrite[] = [];
  let servers: McpServers | undefined;
  let ask: Host['ask'] | undefined;
  const memories = () => createMemoryAccess(worker, { assignment: context, steps, signal, writes: memory });
  const host: Host = {
    run: wake.run,
    node: node.id,
    activation: wake.activation,
    signal,
    compat: plan.compat,
    // A replay measures the time that was measured then.
    now: () => settledAt ?? worker.runs.now(),
    state,
    answer,
    runProgram(program) {
      observation.addEvent({
        kind: 'code_execution',
        text: typeof program.script === 'string' ? program.script : program.script.main,
      });
      return runProgram(worker, { assignment: context, node, steps, files, signal }, program);
    },
    chat: (request) =>
      createChat(worker, {
        steps,
        plan,
        signal,
        telling: observation,
        place: { run: wake.run, graph: context.graph.key, node: node.id },
        fetch: worker.fetchFor(wake.run),
      })(request),
    recall(asked) {
      observation.addEvent({ kind: 'memory_query', text: asked.query });
      return memories().recall(asked);
    },
    note: (event) => observation.addEvent(event),
    remember: (experience, stores) => memories().remember(experience, stores),
    get memoryFiles() {
      return createMemoryFiles(worker, { assignment: context, steps, signal, writes: memory, files });
    },
    step: (name, request, action) =>
      steps.run({
        name,
        request,
        action: async (_counts, tell) => ({
          value: await storeAttachmentsIn(worker.runs.blobs, worker.mask.hideIn(await action(signal, tell))),
        }),
      }),
    ask(wait) {
      ask ??= createAsk(steps, context);
      observation.addEvent({ kind: 'human_input_requested', text: wait.prompt });
      return ask(wait);
    },
    get workspace() {
      return files.workspace;
    },
    skills: worker.skills,
    mcp(server) {
      if (server.type === 'local') worker.sandbox.assertMayStartServers(wake.run);
      servers ??= mcpServers(worker, { node: node.id, fetch: worker.fetchFor(wake.run), signal });
      return servers.connect(server);
    },
  };
  return { host, memory, close: () => servers?.close() };
}
