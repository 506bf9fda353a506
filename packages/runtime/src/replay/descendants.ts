import type { Command, JournalPart, RunId, StateView } from '@millrace/core';
import { RequestError, replayModeOf, runOf, tenantOf, withoutTenant, withTenant } from '@millrace/core';
import { v7 as uuid } from 'uuid';
import { verdictFor } from '../commit/unrecoverable-run.ts';
import type { CopyProgress, Descendants, RunSource } from '../contract/runs.ts';
import { blobsOfRun } from '../journal/archive/segment.ts';
import type { DescendantContext } from './descendant-context.ts';
import type { Ancestor } from './find-ancestor.ts';
import { archivedAncestor, storedAncestor } from './find-ancestor.ts';
import { forkCommand } from './fork-command.ts';
import { previewFork } from './fork-point.ts';
import { dropJournal } from './journal-copy.ts';
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
    const beginning = await command(ancestor, run, reporting(context, run, onProgress));
    const verdict = await verdictFor(cache.submit(cache.cachedOf(run), beginning));
    if (verdict.type === 'refused') {
      await dropUnnamed(context, run, beginning);
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
        command: (ancestor, run, report) => replayCommand(context, { ...request, ancestor, run, onProgress: report }),
      }),
    fork: (source, { as, onProgress, ...request }) =>
      begin(source, {
        as,
        onProgress,
        isThis: async ({ run }, state) => {
          const fork = state.get('origin')?.fork;
          return fork?.run === run && fork.activation === request.at;
        },
        command: (ancestor, run, report) => forkCommand(context, { ...request, ancestor, run, onProgress: report }),
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
  readonly command: (ancestor: Ancestor, run: RunId, report: OnProgress) => Promise<Command>;
  /** That of the caller. */
  readonly onProgress: OnProgress | undefined;
}

type OnProgress = (progress: CopyProgress) => void;

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

/** Deletes the copies of parts of journals that no run uses: another caller has made the run in the meantime. */
async function dropUnnamed({ cache, blobs }: DescendantContext, run: RunId, command: Command): Promise<void> {
  const parts = copiedParts(command);
  if (parts.length === 0) return;
  const there = await cache.fresh(run, () => false);
  const named = new Set(there === undefined ? [] : blobsOfRun(there.state));
  await dropJournal(
    blobs,
    parts.filter(({ digest }) => !named.has(digest)),
  );
}

/** Returns the parts that were written for a run. */
function copiedParts(command: Command): readonly JournalPart[] {
  if (command.type === 'start') return command.origin.replay?.journal ?? [];
  if (command.type !== 'fork') return [];
  const { history, replay } = command;
  return [...(history.type === 'parts' ? history.parts : []), ...(replay?.journal ?? [])];
}
