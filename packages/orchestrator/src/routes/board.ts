import type { AppControllerRoute } from '@bull-board/api/typings/app';
import { loadOptional } from '@millrace/core';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Fastify, { LogController } from 'fastify';
import type { RouteContext } from '../context/route-context.ts';
import { replyNotFound, replyWithProblem } from '../http/problem.ts';
import type { Server } from '../http/server.ts';

const place = '/admin/queues';
const bullBoard = {
  neededBy: `The page ${place}`,
  // The adapter imports BullMQ for itself, and finds none in the bundled command.
  install: ['@bull-board/api@9', '@bull-board/fastify@9', '@bull-board/ui@9', 'bullmq@6'],
};

/**
 * Adds pages on which operators of the installation see its queues; they change nothing. Their packages are loaded with
 * the first request: few servers are ever asked for the pages, and all of them would start later.
 */
export async function addBoardRoutes(server: Server, { admin }: RouteContext): Promise<void> {
  if (admin === undefined) return;
  let opening: Promise<Board> | undefined;
  const opened = () => {
    opening ??= openBoard(server.log, admin).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  server.addHook('onClose', async () => (await opening?.catch(() => undefined))?.pages.close());
  for (const url of [place, `${place}/*`]) {
    const config = { requiredScope: 'operator', browser: true } as const;
    server.get(url, { schema: { hide: true }, config }, async (request, reply) => {
      const { pages, refresh } = await opened();
      if (request.url.startsWith(`${place}/api/`)) await refresh();
      return relay(pages, request, reply);
    });
  }
}

/** The pages, as a server that listens nowhere. */
interface Board {
  readonly pages: FastifyInstance;
  /** Lets the pages show the queues that there are now. */
  refresh(): Promise<void>;
}

async function openBoard(log: FastifyBaseLogger, admin: NonNullable<RouteContext['admin']>): Promise<Board> {
  const [{ createBullBoard }, { BullMQAdapter }, { FastifyAdapter }] = await loadOptional(bullBoard, () =>
    Promise.all([import('@bull-board/api'), import('@bull-board/api/bullMQAdapter'), import('@bull-board/fastify')]),
  );
  class ReadingAdapter extends FastifyAdapter {
    // Routes that change queues are left out, whatever a later version does with a read-only queue.
    override setApiRoutes(routes: AppControllerRoute[]) {
      return super.setApiRoutes(routes.filter(({ method }) => method === 'get'));
    }
  }
  const serverAdapter = new ReadingAdapter().setBasePath(place);
  const board = createBullBoard({ queues: [], serverAdapter, options: { uiConfig: { boardTitle: 'Millrace' } } });
  const pages = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: ({ headers }) => String(headers['x-request-id']),
  });
  pages.setNotFoundHandler(replyNotFound);
  // The package sets its own error handler for its routes.
  pages.addHook('onRoute', (route) => void Object.assign(route, { errorHandler: replyWithProblem }));
  await pages.register(serverAdapter.registerPlugin(), { prefix: place });
  return {
    pages,
    async refresh() {
      const queues = await admin.queues();
      board.replaceQueues(queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: true })));
    },
  };
}

/** Headers of a message, and not of its content. */
const hopHeaders = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'] as const;

/** Replies as the pages do. They need no key, which the route has checked. */
async function relay(pages: FastifyInstance, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { authorization: _key, cookie: _session, ...headers } = request.headers;
  const {
    statusCode,
    headers: sent,
    rawPayload,
  } = await pages.inject({
    method: 'GET',
    url: request.url,
    headers: { ...headers, 'x-request-id': request.id },
  });
  for (const name of hopHeaders) delete sent[name];
  return reply.code(statusCode).headers(sent).send(rawPayload);
}
