import type { ActivationId } from '@millrace/core';
import { RequestError, textMessage } from '@millrace/core';
import type { Namespace } from '@millrace/runtime';
import { z } from 'zod';
import { problems } from '../contracts/problem.ts';
import { RunId } from '../contracts/run.ts';
import { Answer, Task, TaskPath, taskOf } from '../contracts/task.ts';
import type { Server } from '../server.ts';
import { describeKnown } from '../until-idle.ts';
import { wasAnswered } from '../was-answered.ts';

/** Questions to people. */
export function addTaskRoutes(server: Server): void {
  server.get(
    '/v1/tasks',
    {
      config: { demand: 'read' },
      schema: {
        summary: 'The open questions of a run',
        querystring: z.object({ run: RunId }),
        response: { 200: z.object({ data: z.array(Task) }), ...problems },
      },
    },
    async ({ caller: { space }, query }) => ({ data: (await describeKnown(space, query.run)).tasks.map(taskOf) }),
  );
  server.post(
    '/v1/tasks/:id/answer',
    {
      config: { demand: 'answer' },
      schema: {
        summary: 'Answer a question; the first answer counts',
        params: TaskPath,
        body: Answer,
        response: { 200: z.object({ runId: z.string(), task: z.string() }), ...problems },
      },
    },
    async ({ caller: { space }, params, body }) => answer(space, params.id, body.text),
  );
}

async function answer(space: Namespace, id: string, text: string) {
  const [run = '', name] = id.split('.');
  const activation = name as ActivationId; // TaskPath has checked its form
  const { tasks } = await describeKnown(space, run);
  const node = tasks.find((task) => task.activation === activation)?.node ?? '';
  try {
    await space.answer(run, activation, textMessage('user', text, node));
  } catch (error) {
    const closed = error instanceof RequestError && ['TASK_UNKNOWN', 'RUN_ENDED'].includes(error.code);
    if (!closed || !(await wasAnswered(space, run, activation))) throw error;
    throw new RequestError('TASK_ANSWERED', `Activation ${activation} has been answered already.`);
  }
  return { runId: run, task: id };
}
