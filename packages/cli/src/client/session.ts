import { setTimeout as pause } from 'node:timers/promises';
import type { Client, Millrace } from '@millrace/client';
import type { Runtime, Tracing } from '@millrace/runtime';
import { CommandError, exitCodes } from '../exit/exit.ts';
import type { Cli } from '../process/cli.ts';
import type { Closer } from '../process/close-session.ts';
import { closeSession } from '../process/close-session.ts';
import { aborted } from '../process/interruption.ts';
import { findRedisOfMachine } from './find-redis.ts';
import type { Machine } from './open-local.ts';

/** Connection of a command to an installation, with everything that is closed when the command ends. */
export interface Session {
  readonly cli: Cli;
  /** Runs and resources of the installation. Where the machine is local, ids of runs carry their tenant. */
  readonly millrace: Millrace;
  /** Parts of the installation in this process; absent when the installation is behind an HTTP API. */
  readonly machine?: Machine;
  /** `memory`: nothing survives the process. */
  readonly storage: 'memory' | 'redis' | 'api';
  /** Absent: nobody traces. */
  readonly tracing: Tracing | undefined;
  /** Redis (or memory) ends with this process; the data of Redis stays on disk. */
  endsWithUs(): boolean;
  /** Closes this when the session closes, before what was opened earlier. */
  defer(close: Closer): void;
  /** Counts what is still to arrive when the session closes. */
  awaits(pending: () => number): void;
}

/** Session on the machine itself. */
export interface LocalSession extends Session {
  readonly machine: Machine;
  /** URL of the Redis that Millrace has started; absent: runs are in memory, or the environment names their Redis. */
  readonly ownRedis: string | undefined;
  /** Returns the installation as a tenant sees it; ids of runs carry the tenant. */
  ofTenant(tenant: string): Promise<Millrace>;
}

/** Returns whether this process can work on the runs itself. */
export const isLocal = (session: Session): session is LocalSession => session.machine !== undefined;

/** Opens the machine itself, for commands that work on runs or look after them. Throws CommandError with MILLRACE_URL. */
export async function withMachine(
  cli: Cli,
  { command, ...options }: Omit<SessionOptions, 'local'> & { readonly command: string },
  use: (session: LocalSession) => Promise<void>,
): Promise<void> {
  await assertLocal(cli, command);
  await withSession(cli, options, async (session) => {
    if (!isLocal(session)) throw new Error('a session without MILLRACE_URL is local');
    await use(session);
  }).catch((error: unknown) => {
    if (error !== stoppedEarly) throw error;
  });
}

/** Ends a command that works with an installation itself when the environment names one behind an HTTP API. */
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
  /** Keeps runs in memory. */
  readonly local?: boolean;
  /** Aborted when the command is told to stop: no work is begun from then on. */
  readonly stopping?: AbortSignal;
  /** The command waits for the end of an outage of Redis, as one that works on runs or follows one; others end with it. */
  readonly throughOutages?: boolean;
}

/** Opens an installation (behind the API of MILLRACE_URL, else in Redis, or in memory with `local`) for as long as `use` takes. */
export async function withSession<T>(
  cli: Cli,
  options: SessionOptions,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const closers: Closer[] = [];
  const pending: (() => number)[] = [];
  let runtime: Runtime | undefined;
  const opening: Opening = {
    defer: (close) => void closers.unshift(close),
    awaits: (count) => void pending.push(count),
  };
  try {
    const session = await unlessStopped(connect(cli, options.local === true, opening), options.stopping);
    runtime = session.machine?.runtime;
    const stop = () => runtime?.activeJobs?.stop();
    if (options.stopping?.aborted === true) stop();
    options.stopping?.addEventListener('abort', stop);
    const outages = options.throughOutages === true ? undefined : runtime?.outages;
    return await (outages?.bounded('writes', () => use(session)) ?? use(session));
  } finally {
    await closeSession(closers, { runtime, pending: () => pending.reduce((sum, count) => sum + count(), 0) });
  }
}

/** Registers what is done when a session ends. */
type Opening = Pick<Session, 'defer' | 'awaits'>;

/** Connects in one of three ways: to an HTTP API, to Redis, or to the memory of this process. */
async function connect(cli: Cli, local: boolean, opening: Opening): Promise<Session> {
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
  return { cli, millrace, storage: 'api', tracing: undefined, endsWithUs: () => false, ...opening };
}

/** Thrown when a command was told to stop while its session was being opened. */
const stoppedEarly = new Error('The command was stopped while it was starting.');

/** Time in which what was being opened may still be closed in order, in milliseconds. */
const leaveWithinMs = 2000;

/** Waits until a session is open. When the command is told to stop, it does not wait for a Redis that does not answer. */
async function unlessStopped(opened: Promise<Session>, stopping: AbortSignal | undefined): Promise<Session> {
  if (stopping === undefined) return opened;
  const stopped = aborted(stopping).then(async () => {
    await Promise.race([opened.catch(() => undefined), pause(leaveWithinMs, undefined, { ref: false })]);
    throw stoppedEarly;
  });
  stopped.catch(() => undefined);
  return Promise.race([opened, stopped]);
}

/** Performs work that a person waits for: it fails when an outage of Redis stops it. */
export const promptly = <T>({ machine }: Session, work: () => Promise<T>): Promise<T> =>
  machine?.runtime.outages?.bounded('writes', work) ?? work();

/** Says how a run goes on when no worker is running. */
export async function sayWhenIdle({ millrace, cli }: Session): Promise<void> {
  const { workers } = await millrace.readiness();
  if (workers === 0) {
    cli.terminal.say('No worker is running. `millrace up` (or `millrace worker`) starts one, and the run goes on.');
  }
}

/** Says that orders wait when no server is running; an HTTP API is one. */
export async function sayWhenNoServer({ machine, cli }: Session): Promise<void> {
  if (machine?.runtime.jobs === undefined) return;
  const { countServers } = await import('@millrace/orchestrator/local');
  if ((await countServers(machine.runtime.jobs)) > 0) return;
  cli.terminal.say('No server is running that executes it: start `millrace serve`, or `millrace up --port 4700`.');
}
