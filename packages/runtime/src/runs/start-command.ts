import type { Command, Message, MessageBody, Plan } from '@millrace/core';
import { bodyOf, presetsOf, textMessage } from '@millrace/core';
import { newMessage } from '../commit/new-bodies.ts';
import { observeTask } from '../commit/observe-task.ts';
import type { StartRequest } from '../contract/runs.ts';

/**
 * The command that starts a run: the task, and what nodes begin with, stored beside it. `told`: the webhooks of its tenant
 * are told of it.
 */
export async function startCommand(
  plan: Plan,
  { hash, told }: { readonly hash: string; readonly told: boolean },
  { input, timeoutMs, workflow, name, tags, trace, budget, webhook, batch, priority }: StartRequest,
): Promise<Extract<Command, { type: 'start' }>> {
  const task = typeof input === 'string' ? [textMessage('user', input, 'TASK')] : input;
  const bodies: MessageBody[] = [];
  const bring = (message: Message) => {
    bodies.push(bodyOf(message));
    return newMessage(message, bodies.length - 1);
  };
  const root = plan.graphs.get('');
  const { organization } = workflow.graph;
  const labels = [...new Set([...(organization === undefined ? [] : [organization]), ...(tags ?? [])])];
  return {
    type: 'start',
    plan: hash,
    origin: {
      workflow: name ?? workflow.graph.id,
      ...(labels.length === 0 ? {} : { tags: labels }),
      ...(trace === undefined ? {} : { trace }),
      ...(told ? { told } : {}),
      ...(webhook === undefined ? {} : { webhook }),
      ...(batch === undefined ? {} : { batch }),
      ...(priority === undefined ? {} : { priority }),
    },
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(plan.budget === undefined && budget === undefined ? {} : { budget: { ...plan.budget, ...budget } }),
    task: task.map(bring),
    presets: root === undefined ? [] : presetsOf(root, bring),
    bodies,
    ...(root?.termination === undefined ? {} : { observed: await observeTask(root.termination, task) }),
  };
}
