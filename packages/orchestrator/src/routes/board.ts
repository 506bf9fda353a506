import type { AppControllerRoute } from '@bull-board/api/typings/app';
import { loadOptional } from '@millrace/core';
import type { FastifyInstance, RouteOptions } from 'fastify';
import type { RouteContext } from '../context/route-context.ts';
import { replyWithProblem } from '../http/problem.ts';
import type { Server } from '../http/server.ts';

const place = '/admin/queues';
const bullBoard = {
  neededBy: `The page ${place}`,
  // The adapter imports BullMQ for itself, and finds none in the bundled command.
  install: ['@bull-board/api@9', '@bull-board/fastify@9', '@bull-board/ui@9', 'bullmq@6'],
};

/** Adds pages on which operators of the installation see its queues; they change nothing. */
export async function addBoardRoutes(server: Server, { admin }: RouteContext): Promise<void> {
  if (admin === undefined) return;
  let modules: Awaited<ReturnType<typeof load>>;
  try {
    modules = await load();
  } catch (error) {
    return refuseBoard(server, error);
  }
  const [{ createBullBoard }, { BullMQAdapter }, { FastifyAdapter }] = modules;
  class ReadingAdapter extends FastifyAdapter {
    // Routes that change queues are left out, whatever a later version does with a read-only queue.
    override setApiRoutes(routes: AppControllerRoute[]) {
      return super.setApiRoutes(routes.filter(({ method }) => method === 'get'));
    }
  }
  const serverAdapter = new ReadingAdapter().setBasePath(place);
  const options = { uiConfig: { boardTitle: 'Millrace' } };
  const board = createBullBoard({ queues: [], serverAdapter, options });
  await server.register((scope, _options, done) => {
    guardAsOurs(scope);
    scope.addHook('preHandler', async ({ routeOptions }) => {
      if (routeOptions.url?.startsWith(`${place}/api/`) !== true) return;
      const queues = await admin.queues();
      board.replaceQueues(queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: true })));
    });
    void scope.register(serverAdapter.registerPlugin(), { prefix: place });
    done();
  });
}

const load = () =>
  loadOptional(bullBoard, () =>
    Promise.all([import('@bull-board/api'), import('@bull-board/api/bullMQAdapter'), import('@bull-board/fastify')]),
  );

/** Answers with the reason why there are no such pages, such as packages that are not installed. */
function refuseBoard(server: Server, reason: unknown): void {
  for (const url of [place, `${place}/*`]) {
    server.get(url, { schema: { hide: true }, config: { requiredScope: 'operator', browser: true } }, () => {
      throw reason;
    });
  }
}

/** Adds the declarations of our routes to the routes of a package. */
function guardAsOurs(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    const config: RouteOptions['config'] = { ...route.config, requiredScope: 'operator', browser: true };
    Object.assign(route, { config, errorHandler: replyWithProblem });
  });
}
