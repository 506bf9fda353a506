import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Countdown } from './countdown.ts';
import { countdown } from './countdown.ts';

/** Who works: the engine, or hand-written BullMQ. */
export type Side = 'floor' | 'millrace';

/** What a worker process is told. */
export type Order =
  | { readonly type: 'work'; readonly side: Side; readonly concurrency: number }
  | { readonly type: 'rest' };

/** What it tells: that it has done as it was told, or that a chain or run has ended. */
export type Told = { readonly type: 'ready' } | { readonly type: 'ended' };

/** Worker processes that work when they are told to. */
export interface Hands {
  /** Milliseconds from `start` being called to the end of the last of its chains or runs, with so many processes at work. */
  time(task: Task): Promise<number>;
  close(): Promise<void>;
}

/** Something for worker processes to do. */
export interface Task {
  readonly side: Side;
  readonly processes: number;
  readonly concurrency: number;
  /** How many chains or runs there will be. */
  readonly ends: number;
  readonly start: () => Promise<unknown>;
}

const program = fileURLToPath(new URL('./hand.js', import.meta.url));

/** Starts worker processes, all of them at rest. */
export async function openHands(redisUrl: string, count: number): Promise<Hands> {
  const hands = Array.from({ length: count }, () => openHand(redisUrl));
  await Promise.all(hands.map(({ started }) => started));
  return {
    async time({ side, processes, concurrency, ends, start }) {
      const finished = countdown(ends);
      const team = hands.slice(0, processes);
      await Promise.all(team.map((hand) => hand.work({ type: 'work', side, concurrency }, finished)));
      const begun = performance.now();
      await Promise.all([start(), finished.all]);
      const took = performance.now() - begun;
      await Promise.all(team.map((hand) => hand.rest()));
      return took;
    },
    async close() {
      await Promise.all(hands.map((hand) => hand.close()));
    },
  };
}

function openHand(redisUrl: string) {
  const child = fork(program, [redisUrl]);
  let finished: Countdown | undefined;
  let done = () => {};
  let fail: (error: Error) => void = () => {};
  const obeyed = () =>
    new Promise<void>((resolve, reject) => {
      done = resolve;
      fail = reject;
    });
  const tell = (order: Order) => {
    const answer = obeyed();
    child.send(order);
    return answer;
  };
  child.on('message', (told: Told) => (told.type === 'ready' ? done() : finished?.one()));
  child.once('exit', (code) => {
    const error = new Error(`a worker process of the benchmark has ended with ${code}; see what it said above`);
    fail(error);
    finished?.fail(error);
  });
  return {
    started: obeyed(),
    work(order: Order, counting: Countdown) {
      finished = counting;
      return tell(order);
    },
    rest: () => tell({ type: 'rest' }),
    close: () => closeChild(child),
  };
}

async function closeChild(child: ChildProcess): Promise<void> {
  if (!child.connected) return;
  const exited = once(child, 'exit');
  child.disconnect();
  await exited;
}
