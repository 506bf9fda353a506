import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { textOfVector } from '@millrace/catalog';
import type { MemoryWrite, Workflow } from '@millrace/core';
import { State } from '@millrace/core';
import type { Bench } from './workload/millrace.ts';
import { remembering } from './workload/workflows.ts';

/** Size of the store. */
export interface StoreSize {
  readonly memories: number;
  readonly dimensions: number;
}

/** Milliseconds that an activation takes that reads a store: in a worker that has not read it before, and later. */
export interface RecallTimes {
  readonly cold: number;
  readonly warm: number;
}

const perCommit = 250;

/** Times agents that recall; the model and the embedding server answer at once. */
export async function recallTimes(
  bench: Bench,
  { turns, ...size }: StoreSize & { readonly turns: number },
): Promise<RecallTimes> {
  const vectorOf = vectors(size.dimensions);
  const answer = JSON.stringify({ data: [{ index: 0, embedding: [...vectorOf()] }] });
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    response.end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // It listens on a port, so its address is not the path of a socket.
  const { port } = server.address() as AddressInfo;
  const workflow: Workflow = remembering(`http://127.0.0.1:${port}`);
  for (let from = 0; from < size.memories; from += perCommit) {
    const memory = Array.from({ length: perCommit }, (_, at) => writeOf(from + at, vectorOf(), size.memories));
    const decision = { events: [], writes: [], bodies: [], wakes: [], later: [], settled: [], memory };
    const moment = { version: 0, nonce: '', next: 'n', at: 0, before: new State() };
    await bench.runtime.store.commit({ run: `run_fill${from}`, ...moment, decision });
  }
  // What is loaded only once in a process counts for neither.
  await bench.time(workflow, { runs: 1, concurrency: 1 });
  const { ms: cold } = await bench.time(workflow, { runs: 1, concurrency: 1 });
  const { ms: all } = await bench.time(workflow, { runs: turns + 1, concurrency: 1 });
  server.closeAllConnections();
  server.close();
  return { cold, warm: (all - cold) / turns };
}

function writeOf(at: number, vector: Float32Array, limit: number): MemoryWrite {
  const text = `Input: report ${at}\nOutput: ${'a dragon was seen over the northern hills, '.repeat(10)}`;
  const embedding = { space: 'openai/emb', vector: textOfVector(vector) };
  return { store: 'graph:remembering:notes', limit, memory: { text, at, hash: String(at), embedding } };
}

/** Vectors of length 1 that look random and are the same every time. */
function vectors(dimensions: number): () => Float32Array {
  let seed = 1;
  return () => {
    const raw = Float32Array.from({ length: dimensions }, () => {
      seed = (seed * 48271) % 2147483647;
      return seed / 2147483647 - 0.5;
    });
    const length = Math.hypot(...raw);
    return raw.map((value) => value / length);
  };
}
