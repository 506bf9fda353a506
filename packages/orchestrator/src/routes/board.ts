import type { AppControllerRoute } from '@bull-board/api/typings/app';
import type { FastifyInstance, RouteOptions } from 'fastify';
import type { RouteContext } from '../context/route-context.ts';
import { replyWithProblem } from '../http/problem.ts';
import type { Server } from '../http/server.ts';

const place = '/admin/queues';

/** Pages on which people who operate the installation look into its queues, and change nothing. */
export async function addBoardRoutes(server: Server, { admin }: RouteContext): Promise<void> {
  if (admin === undefined) return;
  const [{ createBullBoard }, { BullMQAdapter }, { FastifyAdapter }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/api/bullMQAdapter'),
    import('@bull-board/fastify'),
  ]);
  class ReadingAdapter extends FastifyAdapter {
    // What is not there cannot be done, whatever a later version does with a queue that is said to be read only.
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

/** Gives routes that others have made what each of ours says of itself. */
function guardAsOurs(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    const config: RouteOptions['config'] = { ...route.config, requiredScope: 'operator', browser: true };
    Object.assign(route, { config, errorHandler: replyWithProblem });
  });
}
