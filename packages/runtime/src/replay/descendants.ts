import type { Command, ForkCommand, RunId, StateView } from '@millrace/core';
import { NodeError, RequestError, replayModeOf, runOf, tenantOf, withoutTenant, withTenant } from '@millrace/core';
import { v7 as uuid } from 'uuid';
import { verdictFor } from '../commit/unrecoverable-run.ts';
import type { Descendants, RunSource } from '../contract/runs.ts';
import type { DescendantContext } from './descendant-context.ts';
import type { DescendantInMaking, OnProgress, RunCopies } from './descendant-in-making.ts';
import { copiesFor } from './descendant-in-making.ts';
import type { Ancestor } from './find-ancestor.ts';
import { archivedAncestor, storedAncestor } from './find-ancestor.ts';
import { forkCommand } from './fork-command.ts';
import { previewFork } from './fork-point.ts';
import { replayCommand } from './replay-command.ts';

/** Creates the replays and forks of the runs of a store, and of archived runs. */
export function createDescendants(context: DescendantContext): Descendants {
  const { cache, store } = context;

  const ancestorOf = (source: RunSource): Promise<Ancestor> =>
    typeof source === 'string' ? storedAncestor(cache, store, source) : archivedAncestor(cache, store, source.file);

  async function begin(source: RunSource, { as, isThis, command, onProgress }: DescendantRequest): Promise<RunId> {
    const ancestor = await ancestorOf(source);
    const run = as ?? withTenant(tenantOf(ancestor.run), `run_${uuid().replaceAll('-', '')}`);
    const there = as === undefined ? undefined : await cache.fresh(as, () => true);
    if (there !== undefined && (await cache.isKept(there))) return assertThis(run, await isThis(ancestor, there.state));
    await cache.assertRoom(tenantOf(run));
    const copies = copiesFor(context, run);
    const beginning = await dropUnlessMade(copies, always, () =>
      command(ancestor, { run, copies, onProgress: reporting(context, run, onProgress) }),
    );
    const verdict = await dropUnlessMade(copies, isRefusal, () =>
      verdictFor(cache.submit(cache.cachedOf(run), beginning)).catch((error) => {
        throw beginning.type === 'fork' ? forkTooLarge(error, ancestor.run, beginning) : error;
      }),
    );
    if (verdict.type === 'refused') {
      await copies.drop();
      if (verdict.code !== 'RUN_EXISTS') throw new RequestError(verdict.code, verdict.message);
      const first = await cache.known(run);
      return assertThis(run, await isThis(ancestor, first.state));
    }
    return run;
  }

  return {
    replay: (source, { as, onProgress, ...request } = {}) =>
      begin(source, {
        as,
        onProgress,
        isThis: async (ancestor, state) => {
          const { liveFrom, mode = 'strict', plan } = request;
          const replay = state.get('origin')?.replay;
          if (replay?.run !== ancestor.run || replay.liveFrom !== liveFrom || replayModeOf(replay) !== mode)
            return false;
          const hash = plan === undefined ? ancestor.planHash : await cache.plans.hashOf(plan.workflow);
          return runOf(state).plan === hash;
        },
        command: (ancestor, making) => replayCommand(context, { ...request, ...making, ancestor }),
      }),
    fork: (source, { as, onProgress, ...request }) =>
      begin(source, {
        as,
        onProgress,
        isThis: async ({ run }, state) => {
          const fork = state.get('origin')?.fork;
          return fork?.run === run && fork.activation === request.at;
        },
        command: (ancestor, making) => forkCommand(context, { ...request, ...making, ancestor }),
      }),
    previewFork: async (source, at) => previewFork(await ancestorOf(source), at),
  };
}

/** Creation of one run from another one. */
interface DescendantRequest {
  /** Requested id of the new run. */
  readonly as: RunId | undefined;
  /** Returns whether the existing run with this id is the requested one. */
  readonly isThis: (ancestor: Ancestor, existing: StateView) => Promise<boolean>;
  readonly command: (ancestor: Ancestor, making: DescendantInMaking) => Promise<Command>;
  /** That of the caller. */
  readonly onProgress: OnProgress | undefined;
}

/** Returns a function that tells the caller, and who watches the tenant, of the progress of a copy. One of a single part has none. */
function reporting({ tenantEvents }: DescendantContext, run: RunId, onProgress: OnProgress | undefined): OnProgress {
  let isLong = false;
  return (progress) => {
    isLong ||= progress.done < progress.total;
    if (!isLong) return;
    onProgress?.(progress);
    tenantEvents.publish(tenantOf(run), `progress/${run}`, () => ({ type: 'progress', run, ...progress }));
  };
}

function assertThis(run: RunId, isThis: boolean): RunId {
  if (isThis) return run;
  throw new RequestError('RUN_EXISTS', `There is another run ${withoutTenant(run)} already. Choose another id.`);
}

/** Returns the error of a fork, with what helps where its first commit is too large: the state of a large fan-out. */
function forkTooLarge(error: unknown, of: RunId, { activation }: ForkCommand): unknown {
  if (!(error instanceof RequestError) || error.code !== 'COMMIT_TOO_LARGE') return error;
  return new RequestError(
    error.code,
    `Run ${withoutTenant(of)} cannot be forked at activation ${activation}: a fork begins with the state that the run had there, which is too large for one commit inside a large fan-out. Fork the run at an activation before or after the fan-out, or raise MILLRACE_MAX_COMMIT_MB. ${error.message}`,
  );
}

/** Whether an error says that a run does not exist: one before its commit does, and so does a refusal of the commit. */
type IsFinal = (error: unknown) => boolean;
const always: IsFinal = () => true;
/** After an outage, the commit may still arrive: the copies are left to the sweep of files. */
const isRefusal: IsFinal = (error) => error instanceof RequestError;

/** Makes what begins a run, or commits it; drops its copies when that cannot be. Throws RequestError. */
async function dropUnlessMade<Result>(
  copies: RunCopies,
  isFinal: IsFinal,
  make: () => Promise<Result>,
): Promise<Result> {
  try {
    return await make();
  } catch (error) {
    const reason = error instanceof NodeError ? new RequestError(error.code, error.message) : error;
    if (isFinal(reason)) await copies.drop();
    throw reason;
  }
}
