import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { listen } from '../http/listen.ts';

/** A model API that answers when the test says so. */
export interface HeldModels {
  /** Configuration of an agent that asks it. */
  agent(model: string): string;
  /** Resolves when so many requests for a model have come in all. */
  asked(model: string, times: number): Promise<void>;
  /** Resolves when so many requests for a model were hung up on in all. */
  hungUp(model: string, times: number): Promise<void>;
  /** Answers what is open for a model. */
  answer(model: string): void;
  close(): Promise<void>;
}

const Request = z.object({ model: z.string() });

/** Starts a model API on this machine that holds every request until the test releases it. */
export async function startHeldModels(): Promise<HeldModels> {
  const open = new Map<string, ServerResponse[]>();
  const counts = new Map<string, number>();
  const waiting = new Set<() => void>();
  const count = (what: string) => {
    counts.set(what, (counts.get(what) ?? 0) + 1);
    for (const look of waiting) look();
  };
  const reaches = (what: string, times: number) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if ((counts.get(what) ?? 0) < times) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  const server = createServer(async (incoming, outgoing) => {
    const { model } = Request.parse(await json(incoming));
    open.set(model, [...(open.get(model) ?? []), outgoing]);
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) count(`${model} hung up`);
    });
    count(model);
  });
  const port = await listen(server);
  return {
    agent: (model) =>
      `{ provider: openai, name: ${model}, base_url: "http://127.0.0.1:${port}/v1", api_key: k, retry: { max_attempts: 1 } }`,
    asked: reaches,
    hungUp: (model, times) => reaches(`${model} hung up`, times),
    answer(model) {
      const message = { role: 'assistant', content: `${model} says so` };
      const body = JSON.stringify({ choices: [{ message, finish_reason: 'stop' }] });
      for (const outgoing of open.get(model)?.splice(0) ?? []) {
        outgoing.writeHead(200, { 'content-type': 'application/json' });
        outgoing.end(body);
      }
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
