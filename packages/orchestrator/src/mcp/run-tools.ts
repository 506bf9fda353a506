import { answerTask, omitUndefined, placeOf, RunId, TaskPath, taskDetailOf } from '@millrace/api';
import type { Namespace } from '@millrace/runtime';
import { z } from 'zod';
import { handleOf } from './run-handle.ts';
import type { Tool } from './tool.ts';
import { defineTool, WaitSeconds } from './tool.ts';

/** Questions that are told at a time. */
const taskLimit = 100;

/** What can be done with runs that there are. */
export const runTools = (space: Namespace): readonly Tool[] => [
  defineTool({
    name: 'get_run',
    description: 'How a run stands: its status, its output once there is one, and the questions that it asks.',
    scope: 'read',
    input: z.object({ runId: RunId, waitSeconds: WaitSeconds }),
    call: ({ runId, waitSeconds }, signal) => handleOf(space, runId, { waitSeconds, signal }),
  }),
  defineTool({
    name: 'cancel_run',
    description: 'Ends a run for good.',
    scope: 'run',
    input: z.object({ runId: RunId, reason: z.string().max(1000).default('cancelled over MCP') }),
    async call({ runId, reason }, signal) {
      await space.cancel(runId, reason);
      return handleOf(space, runId, { waitSeconds: 0, signal });
    },
  }),
  defineTool({
    name: 'list_tasks',
    description: 'The open questions of a run, or of all runs: what is asked, and about what.',
    scope: 'read',
    input: z.object({ runId: RunId.optional() }),
    async call({ runId }) {
      const { tasks, next } = await space.tasks({ limit: taskLimit, ...omitUndefined({ run: runId }) });
      return { tasks: tasks.map(taskDetailOf), ...(next === undefined ? {} : { more: true }) };
    },
  }),
  defineTool({
    name: 'answer_task',
    description: 'Answers an open question; the first answer counts, and the run goes on.',
    scope: 'answer',
    input: z.object({ taskId: TaskPath.shape.id, text: z.string() }),
    async call({ taskId, text }) {
      await answerTask(space, taskId, { text, attachments: [] });
      return { runId: placeOf(taskId).run, taskId, next: 'Call get_run with this runId to see what comes of it.' };
    },
  }),
];
