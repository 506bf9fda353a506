import type { BackendFactory, RedisQueueBackend } from 'bullmq';
import { createRedisBackend } from 'bullmq';

/**
 * Positions of the time in the arguments of the BullMQ scripts that delay jobs, and of those that take delayed ones:
 * after their keys and the first argument.
 */
const placeOfTime: Readonly<Record<string, number>> = {
  moveToActive: 12,
  moveToDelayed: 12,
  retryJob: 12,
  moveToFinished: 15,
};
/** Position in their replies of the time when the next delayed job is due. */
const placeOfDue = 3;

/**
 * Makes workers of BullMQ use the clock of Redis, which `now` returns. By default they use the clock of their own
 * process: a job that one process delays would be taken too early or too late by another one whose clock differs.
 */
export function redisClock(now: () => number): BackendFactory<RedisQueueBackend> {
  /** BullMQ compares the due time of a job with the wall clock of the process. */
  const localTimeOf = (due: number) => (due > 0 ? due - now() + Date.now() : due);
  return (...options) => {
    const backend = createRedisBackend(...options);
    const execute = backend.execCommand.bind(backend);
    backend.execCommand = (client, command, args) => {
      const place = placeOfTime[command];
      return place === undefined
        ? execute(client, command, args)
        : inTime(execute(client, command, withTime(args, place)));
    };
    const wait = backend.waitForJob.bind(backend);
    backend.waitForJob = async (timeout) => {
      const marker = await wait(timeout);
      return marker && { ...marker, score: localTimeOf(marker.score) };
    };
    return backend;
  };

  function withTime(args: readonly unknown[], place: number): unknown[] {
    if (typeof args[place] !== 'number')
      throw new Error('This version of BullMQ passes the time to its scripts in another argument.');
    return args.with(place, now());
  }

  async function inTime(replied: Promise<unknown>): Promise<unknown> {
    const reply = await replied;
    return Array.isArray(reply) && reply.length > placeOfDue
      ? reply.with(placeOfDue, localTimeOf(Number(reply[placeOfDue])))
      : reply;
  }
}
