import { hostname } from 'node:os';

/** Name of a worker in this process, as journals have it. */
export const ownWorkerName = `${hostname()}-${process.pid}`;
