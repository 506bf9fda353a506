import type { DefinitionRef, Message, MessageBody, Origin, Plan, StartCommand } from '@millrace/core';
import { bodyOf, omitUndefined, presetsOf, textMessage, textOf } from '@millrace/core';
import { newMessage } from '../commit/new-bodies.ts';
import { observeTask } from '../commit/observe-task.ts';
import type { StartRequest } from '../contract/runs.ts';

/** Data stored for a run before it starts. */
interface StoredSource {
  readonly hash: string;
  readonly definition: DefinitionRef | undefined;
  /** Time at which the run is removed; absent: it is not temporary. */
  readonly expiresAt: number | undefined;
}

/** Returns the command that starts a run: the task and the initial messages of nodes, with their bodies. */
export async function startCommand(
  plan: Plan,
  { hash, definition, expiresAt }: StoredSource,
  request: StartRequest,
): Promise<StartCommand> {
  const { input, timeoutMs, budget } = request;
  const task = typeof input === 'string' ? [textMessage('user', input, 'TASK')] : input;
  const bodies: MessageBody[] = [];
  const bring = (message: Message) => {
    bodies.push(bodyOf(message));
    return newMessage(message, bodies.length - 1);
  };
  const root = plan.graphs.get('');
  return {
    type: 'start',
    plan: hash,
    origin: {
      ...originOf(request, titleOf(task)),
      ...omitUndefined({ definition, expiresAt }),
    },
    ...omitUndefined({ timeoutMs }),
    ...(plan.budget === undefined && budget === undefined ? {} : { budget: { ...plan.budget, ...budget } }),
    task: task.map(bring),
    presets: root === undefined ? [] : presetsOf(root, bring),
    bodies,
    ...(root?.termination === undefined ? {} : { observed: await observeTask(root.termination, task) }),
  };
}

function originOf(
  { workflow, name, tags, trace, webhook, batch, priority, startedBy }: StartRequest,
  title: string | undefined,
): Origin {
  const { organization } = workflow.graph;
  const labels = [...new Set([...(organization === undefined ? [] : [organization]), ...(tags ?? [])])];
  return {
    workflow: name ?? workflow.graph.id,
    ...omitUndefined({ title }),
    ...(labels.length === 0 ? {} : { tags: labels }),
    ...omitUndefined({ trace, webhook, batch, priority, startedBy }),
  };
}

/** Maximum length of a title, in characters. */
const longestTitle = 120;

/** Returns the title of a run in lists: the first line of its task that has text; undefined when there is none. */
export function titleOf(task: readonly Pick<Message, 'content'>[]): string | undefined {
  for (const message of task) {
    const [line] = /\S[^\r\n]*/.exec(textOf(message)) ?? [];
    if (line !== undefined) return shortened(line.trimEnd());
  }
  return undefined;
}

/** Counts code points, so that no character is cut in half. */
function shortened(line: string): string {
  // A character has at most two code units.
  const characters = [...line.slice(0, 2 * longestTitle + 2)];
  return characters.length <= longestTitle ? line : `${characters.slice(0, longestTitle - 1).join('')}…`;
}
