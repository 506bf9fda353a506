import type { Command, Plan, RunId, StateView } from '@millrace/core';
import { Draft, evolve, State } from '@millrace/core';
import { inSlices } from '../concurrency/in-slices.ts';
import type { KnownPosition, LoadedRun, StartPreconditions } from '../ports/store/port.ts';

/** Outcome of a command. */
export type Verdict =
  | { readonly type: 'accepted' }
  /** The command no longer applies, such as a second result of one activation, or a late answer. */
  | { readonly type: 'refused'; readonly code: string; readonly message: string };

/** A command that was submitted. */
export interface DispatchedCommand {
  /**
   * Fulfilled when the commit and its wakes have been sent, or need not be. Whatever is sent after that on the same
   * connection is executed after them.
   */
  readonly sent: Promise<void>;
  /** Outcome of the command, once it is committed. */
  readonly verdict: Promise<Verdict>;
}

/** A run as its workers see it. */
export interface OpenRun {
  readonly plan: Plan;
  /** Live view of the state: it changes with every commit of this process. Read it without awaiting in between. */
  readonly state: StateView;
}

/** A run in this process: its state as of the last commit that this process knows. */
export interface CachedRun {
  readonly run: RunId;
  plan: Plan | undefined;
  state: State;
  version: number;
  nonce: string;
  /** Time of the last commit, in milliseconds since 1970: the next one is not earlier. */
  at: number;
  readonly waiting: QueuedCommand[];
  /** Commands are being committed, or will be as soon as they get the lock. */
  draining: boolean;
  /** An action changes the cached run. */
  isLocked: boolean;
  /** Begin the actions that wait for it, in their order: they run one after the other. */
  readonly waitingForLock: (() => void)[];
}

/** Creates the cached run before anything has been read of it. */
export const emptyCachedRun = (run: RunId): CachedRun => ({
  run,
  plan: undefined,
  state: new State(),
  version: 0,
  nonce: '',
  at: 0,
  waiting: [],
  draining: false,
  isLocked: false,
  waitingForLock: [],
});

/**
 * Locks a cached run before an action that changes it, such as a commit or catching up: they run one after the other. The
 * action begins when the returned promise is fulfilled, or at once if there is none, and ends with `unlockRun`.
 */
export function lockRun(cached: CachedRun): Promise<void> | undefined {
  if (cached.isLocked) return new Promise<void>((begin) => cached.waitingForLock.push(begin));
  cached.isLocked = true;
  return undefined;
}

/** Unlocks a cached run, or passes its lock to the next action, so that no other one comes in between. */
export function unlockRun(cached: CachedRun): void {
  const next = cached.waitingForLock.shift();
  if (next === undefined) cached.isLocked = false;
  else next();
}

/** A command, and the preconditions of its commit if it begins the run. */
export interface Order {
  readonly command: Command;
  readonly preconditions?: StartPreconditions | undefined;
  /** Called when the commit and its wakes have been sent, or need not be; see {@link DispatchedCommand}. */
  readonly sent?: (() => void) | undefined;
}

/** A command that waits for its commit. */
export interface QueuedCommand extends Order {
  readonly resolve: (verdict: Verdict) => void;
  readonly reject: (error: unknown) => void;
}

/** Reads what a cached run lacks. */
export interface RunSource {
  /** Reads a run from the store; undefined when there is no such run. */
  readonly load: (run: RunId) => Promise<LoadedRun | undefined>;
  /** The compiled plan of a run that is known to exist. */
  readonly planOf: (hash: string) => Promise<Plan>;
}

/**
 * Updates a cached run, under its lock, to the version that a commit found. Returns false if the run no longer exists. It is
 * updated commit by commit, so that whoever reads it meanwhile finds the state of one version, and in slices: a process that
 * follows a large fan-out can have missed thousands of commits.
 */
export async function catchUp(
  context: RunSource,
  cached: CachedRun,
  result: Exclude<KnownPosition, { type: 'committed' }>,
): Promise<boolean> {
  const hash = cached.state.get('run')?.plan;
  if (result.type === 'diverged' || hash === undefined) return reload(context, cached);
  const plan = await context.planOf(hash);
  await inSlices(result.missed, ({ version, nonce, at, events }) => {
    const draft = new Draft(cached.state);
    for (const event of events) evolve({ plan, draft, at }, event);
    cached.state.apply(draft.writes());
    cached.version = version;
    cached.nonce = nonce;
    cached.at = at;
  });
  return true;
}

/** Replaces a cached run, under its lock, by the run in the store. Returns false when there is no such run. */
export async function reload({ load }: Pick<RunSource, 'load'>, cached: CachedRun): Promise<boolean> {
  const loaded = await load(cached.run);
  cached.plan = undefined;
  cached.state = loaded?.state ?? new State();
  cached.version = loaded?.version ?? 0;
  cached.nonce = loaded?.nonce ?? '';
  cached.at = loaded?.at ?? 0;
  return loaded !== undefined;
}
