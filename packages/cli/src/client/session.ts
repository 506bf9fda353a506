import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Millrace } from '@millrace/client';
import type { Runtime, Tracing } from '@millrace/runtime';
import { CommandError, exitCodes } from '../exit/exit.ts';
import type { Cli } from '../process/cli.ts';
import { aborted } from '../process/interruption.ts';
import { findRedisOfMachine } from './find-redis.ts';
import type { Machine } from './open-local.ts';

/** Connection of a command to an installation, with all resources that the command closes when it ends. */
export interface Session {
  readonly cli: Cli;
  /** Runs and resources of the installation. Without an HTTP API, ids of runs contain their tenant. */
  readonly millrace: Millrace;
  /** Parts of the installation in this process; absent when the installation is behind an HTTP API. */
  readonly machine?: Machine;
  /** Location of the runs; `memory`: they end with the process. */
  readonly storage: 'memory' | 'redis' | 'api';
  /** Absent: tracing is off. */
  readonly tracing: Tracing | undefined;
  /** The Redis (or memory) of the session ends with this process; the data of a Redis stays on disk. */
  endsWithProcess(): boolean;
  /** Registers a function that runs when the session closes, before those that were registered earlier. */
  defer(close: Closer): void;
  /** Registers a function that counts unconfirmed settlements; an outage does not cut short the end of the session while there are some. */
  addPending(pending: () => number): void;
}

/** Session on the machine itself. */
export interface LocalSession extends Session {
  readonly machine: Machine;
  /** URL of the Redis that Millrace has started; absent: runs are in memory, or the environment names their Redis. */
  readonly hasOwnRedis: boolean;
  /** Returns the installation as a tenant sees it; ids of runs contain the tenant. */
  ofTenant(tenant: string): Promise<Millrace>;
}

/** Tests if this process can execute the runs itself. */
export const isLocal = (session: Session): session is LocalSession => session.machine !== undefined;

/**
 * Opens a session without an HTTP API, for commands that execute or maintain runs. Throws CommandError if MILLRACE_URL is set, unless
 * runs are stored in memory.
 */
export async function withMachine(
  cli: Cli,
  { command, ...options }: SessionOptions & { readonly command: string },
  use: (session: LocalSession) => Promise<void>,
): Promise<void> {
  if (options.local !== true) await assertLocal(cli, command);
  await withSession(cli, options, async (session) => {
    if (!isLocal(session)) throw new Error('a session without MILLRACE_URL is local');
    await use(session);
  }).catch((error: unknown) => {
    if (error !== interruptedStart) throw error;
  });
}

/** Throws CommandError if MILLRACE_URL is set, for commands that need direct access to the installation. */
export async function assertLocal(cli: Cli, command: string): Promise<void> {
  const { api } = await cli.config();
  if (api !== undefined) {
    throw new CommandError(
      exitCodes.invalid,
      `\`millrace ${command}\` works with the Redis of an installation itself, and MILLRACE_URL names one behind an HTTP API (${api.url}). Call it where that runs, or unset MILLRACE_URL.`,
    );
  }
}

/** Options of a session. */
export interface SessionOptions {
  /** Stores runs in memory. */
  readonly local?: boolean;
  /** Aborted when the command is interrupted; no further work begins then. */
  readonly stopping?: AbortSignal;
  /** The command waits for the end of an outage of Redis, because it executes or follows runs; other commands fail. */
  readonly throughOutages?: boolean;
}

/** Opens an installation (over the API of MILLRACE_URL, else in Redis, or in memory with `local`) for the duration of `use`. */
export async function withSession<T>(
  cli: Cli,
  options: SessionOptions,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const closers: Closer[] = [];
  const pending: (() => number)[] = [];
  let runtime: Runtime | undefined;
  const opening: SessionHooks = {
    defer: (close) => void closers.unshift(close),
    addPending: (count) => void pending.push(count),
  };
  try {
    const session = await unlessStopped(connect(cli, options.local === true, opening), options.stopping);
    runtime = session.machine?.runtime;
    const stop = () => runtime?.shared?.activeJobs.stop();
    if (options.stopping?.aborted === true) stop();
    options.stopping?.addEventListener('abort', stop);
    const outages = options.throughOutages === true ? undefined : runtime?.shared?.outages;
    return await (outages?.bounded('writes', () => use(session)) ?? use(session));
  } finally {
    await closeSession(closers, { runtime, pending: () => pending.reduce((sum, count) => sum + count(), 0) });
  }
}

/** Registers functions that run when a session ends. */
type SessionHooks = Pick<Session, 'defer' | 'addPending'>;

/** Connects in one of three ways: to an HTTP API, to Redis, or to the memory of this process. */
async function connect(cli: Cli, local: boolean, opening: SessionHooks): Promise<Session> {
  const { api } = await cli.config();
  const found = api === undefined && !local ? await findRedisOfMachine(cli) : undefined;
  const { Millrace } = await import('@millrace/client');
  if (api === undefined || local) {
    const { openLocal } = await import('./open-local.ts');
    const { client, of, ...opened } = await openLocal(cli, found, opening);
    const session: LocalSession = {
      cli,
      ...opening,
      ...opened,
      millrace: new Millrace(client),
      ofTenant: async (tenant) => new Millrace(await of(tenant)),
    };
    return session;
  }
  const { connectRemote } = await import('./connect-remote.ts');
  const client: Client = await connectRemote(cli, api);
  const millrace = new Millrace(client);
  return { cli, millrace, storage: 'api', tracing: undefined, endsWithProcess: () => false, ...opening };
}

/** Thrown if a command is interrupted while its session is being opened. */
const interruptedStart = new Error('The command was stopped while it was starting.');

/** Time limit for closing a session whose opening was interrupted, in milliseconds. */
const leaveWithinMs = 2000;

/** Waits until a session is open. An interrupted command does not wait for a Redis that does not respond. */
async function unlessStopped(opened: Promise<Session>, stopping: AbortSignal | undefined): Promise<Session> {
  if (stopping === undefined) return opened;
  const stopped = aborted(stopping).then(async () => {
    await Promise.race([opened.catch(() => undefined), sleep(leaveWithinMs, undefined, { ref: false })]);
    throw interruptedStart;
  });
  stopped.catch(() => undefined);
  return Promise.race([opened, stopped]);
}

/** Performs work that a person waits for: it fails during an outage of Redis. */
export const promptly = <T>({ machine }: Session, work: () => Promise<T>): Promise<T> =>
  machine?.runtime.shared?.outages.bounded('writes', work) ?? work();

/** Reports that a run waits for a worker if none is running. */
export async function reportMissingWorkers({ millrace, cli }: Session): Promise<void> {
  const { workers } = await millrace.readiness();
  if (workers === 0) {
    cli.terminal.say('No worker is running. `millrace up` (or `millrace worker`) starts one, and the run continues.');
  }
}

/** Reports that background work waits for a server if none is running; an HTTP API is one. */
export async function reportMissingServers({ machine, cli }: Session): Promise<void> {
  if (machine?.runtime.shared === undefined) return;
  const { countServers } = await import('@millrace/orchestrator/local');
  if ((await countServers(machine.runtime.shared.jobs)) > 0) return;
  cli.terminal.say('No server is running that executes it: start `millrace up` or `millrace serve`.');
}

/** Closes something that a session has opened. */
type Closer = () => Promise<void> | void;

/** Interval of the checks of whether closing can still succeed, in milliseconds. */
const everyMs = 250;
/** Minimum duration of an outage of Redis that ends the wait, in milliseconds. */
const closeTimeoutMs = 1000;

/**
 * Closes the resources of a session one after the other. Stops waiting if Redis is unreachable and this process has no
 * active work whose result could be lost: an ending command must not wait for the end of an outage.
 */
async function closeSession(
  closers: readonly Closer[],
  { runtime, pending }: { readonly runtime: Runtime | undefined; readonly pending: () => number },
): Promise<void> {
  const over = new AbortController();
  const closing = (async () => {
    for (const close of closers) await close();
  })();
  closing.catch(() => undefined);
  const cannotFinish = () =>
    runtime?.shared?.outages.current() !== undefined && runtime.shared.activeJobs.count === 0 && pending() === 0;
  try {
    await Promise.race([closing, untilHeld(cannotFinish, over.signal)]);
  } finally {
    over.abort();
  }
}

/** Waits until a condition has held for some time; never resolves if the signal is aborted before. */
async function untilHeld(holds: () => boolean, signal: AbortSignal): Promise<void> {
  let since: number | undefined;
  while (since === undefined || performance.now() - since < closeTimeoutMs) {
    await sleep(everyMs);
    if (signal.aborted) await new Promise(() => undefined);
    since = holds() ? (since ?? performance.now()) : undefined;
  }
}
