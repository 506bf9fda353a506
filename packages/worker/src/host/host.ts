import type { Host, MemoryWrite, PlanNode } from '@millrace/core';
import type { Assignment } from '../context/activation-context.ts';
import type { ActivationFiles } from '../context/activation-files.ts';
import type { Steps } from '../context/steps.ts';
import type { Telling } from '../context/termination-observation.ts';
import type { Crew } from '../context/worker-context.ts';
import { memoriesOver } from '../memory/memory-access.ts';
import { memoryFilesOver } from '../memory/memory-files.ts';
import { stowedIn } from '../models/attachment-contents.ts';
import { chatOver } from '../models/chat.ts';
import { askOver } from './ask-person.ts';
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
  crew: Crew,
  {
    assignment,
    node,
    signal,
    steps,
    files,
    telling,
  }: {
    readonly assignment: Assignment;
    readonly node: PlanNode;
    readonly signal: AbortSignal;
    readonly steps: Steps;
    readonly files: ActivationFiles;
    readonly telling: Telling;
  },
): OpenHost {
  const { wake, plan, answer, state, rehearsal } = assignment;
  const settledAt = rehearsal?.type === 'recorded' ? rehearsal.recorded.settledAt : undefined;
  const memory: MemoryWrite[] = [];
  let servers: McpServers | undefined;
  let ask: Host['ask'] | undefined;
  const memories = () => memoriesOver(crew, { assignment, steps, signal, writes: memory });
  const host: Host = {
    run: wake.run,
    node: node.id,
    activation: wake.activation,
    signal,
    compat: plan.compat,
    // A replay measures the time that was measured then.
    now: () => settledAt ?? crew.runs.now(),
    state,
    answer,
    runProgram(program) {
      telling.note({
        kind: 'code_execution',
        text: typeof program.script === 'string' ? program.script : program.script.main,
      });
      return runProgram(crew, { assignment, node, steps, files, signal }, program);
    },
    chat: (request) =>
      chatOver(crew, {
        steps,
        plan,
        signal,
        telling,
        place: { run: wake.run, graph: assignment.graph.key, node: node.id },
        fetch: crew.fetchFor(wake.run),
      })(request),
    recall(asked) {
      telling.note({ kind: 'memory_query', text: asked.query });
      return memories().recall(asked);
    },
    note: (event) => telling.note(event),
    remember: (experience, stores) => memories().remember(experience, stores),
    get memoryFiles() {
      return memoryFilesOver(crew, { assignment, steps, signal, writes: memory, files });
    },
    step: (name, request, action) =>
      steps.take({
        name,
        request,
        action: async (_counts, tell) => ({
          value: await stowedIn(crew.runs.blobs, crew.mask.hideIn(await action(signal, tell))),
        }),
      }),
    ask(wait) {
      ask ??= askOver(steps, assignment);
      telling.note({ kind: 'human_input_requested', text: wait.prompt });
      return ask(wait);
    },
    get workspace() {
      return files.workspace;
    },
    skills: crew.skills,
    mcp(server) {
      if (server.type === 'local') crew.sandbox.assertMayStartServers(wake.run);
      servers ??= mcpServers(crew, { node: node.id, fetch: crew.fetchFor(wake.run), signal });
      return servers.connect(server);
    },
  };
  return { host, memory, close: () => servers?.close() };
}
