import type { ActivationId } from '@millrace/core';
import { RequestError, textMessage } from '@millrace/core';
import { z } from 'zod';
import type { Api } from '../api.ts';
import { problems } from '../contracts/problem.ts';
import { RunId } from '../contracts/run.ts';
import { Answer, Task, TaskPath, taskOf } from '../contracts/task.ts';
import type { Server } from '../server.ts';
import { describeKnown } from '../until-idle.ts';
import { wasAnswered } from '../was-answered.ts';

/** Questions to people. */
export function addTaskRoutes(server: Server, api: Api): void {
  server.get(
    '/v1/tasks',
    {
      schema: {
        summary: 'The open questions of a run',
        querystring: z.object({ run: RunId }),
        response: { 200: z.object({ data: z.array(Task) }), ...problems },
      },
    },
    async ({ query }) => ({ data: (await describeKnown(api.runtime.runs, query.run)).tasks.map(taskOf) }),
  );
  server.post(
    '/v1/tasks/:id/answer',
    {
      schema: {
        summary: 'Answer a question; the first answer counts',
        params: TaskPath,
        body: Answer,
        response: { 200: z.object({ runId: z.string(), task: z.string() }), ...problems },
      },
    },
    async ({ params, body }) => answer(api, params.id, body.text),
  );
}

async function answer({ runtime: { runs, store } }: Api, id: string, text: string) {
  const [run = '', name] = id.split('.');
  const activation = name as ActivationId; // TaskPath has checked its form
  const { tasks } = await describeKnown(runs, run);
  const node = tasks.find((task) => task.activation === activation)?.node ?? '';
  try {
    await runs.answer(run, activation, textMessage('user', text, node));
  } catch (error) {
    const closed = error instanceof RequestError && ['TASK_UNKNOWN', 'RUN_ENDED'].includes(error.code);
    if (!closed || !(await wasAnswered(store, run, activation))) throw error;
    throw new RequestError('TASK_ANSWERED', `Activation ${activation} has been answered already.`);
  }
  return { runId: run, task: id };
}
