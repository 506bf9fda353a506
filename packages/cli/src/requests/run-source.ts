import { resolve } from 'node:path';
import type { ForkPreview, ForkRun, RunHandle } from '@millrace/client';
import type { ActivationId } from '@millrace/core';
import type { Runs } from '@millrace/runtime';
import type { Session } from '../client/session.ts';
import { promptly } from '../client/session.ts';
import { CommandError, exitCodes } from '../exit/exit.ts';
import { resolveRun } from './resolve-run.ts';

/** Run that another one is made of: its id, or the file that it was archived to. */
export type RunSource = string | { readonly file: string };

/** Returns the source that a command names. Throws CommandError unless it names one. */
export function runSource(run: string | undefined, file: string | undefined): RunSource {
  if (run !== undefined && file === undefined) return run;
  if (file !== undefined && run === undefined) return { file: resolve(file) };
  throw new CommandError(exitCodes.invalid, 'Give the id of a run, or --file with the path of an archived one.');
}

/** Returns the name of a source for people. */
export const sourceName = (source: RunSource): string => (typeof source === 'string' ? source : source.file);

/** Replays a run and returns the id of the new one. */
export const replayRun = (session: Session, source: RunSource, how: { readonly liveFrom?: string }): Promise<string> =>
  promptly(session, async () => {
    if (typeof source === 'string') return (await (await runNamed(session, source)).replay(how)).id;
    // An argument of a command has the form of an activation.
    return archivedIn(session).replay(source, how as { liveFrom?: ActivationId });
  });

/** Forks a run and returns the id of the new one. */
export const forkRun = (session: Session, source: RunSource, { at, output, ...changes }: ForkRun): Promise<string> =>
  promptly(session, async () => {
    const edited = output === undefined ? {} : { output };
    if (typeof source === 'string')
      return (await (await runNamed(session, source)).fork({ at, ...edited, ...changes })).id;
    if (Object.keys(changes).length > 0)
      throw new CommandError(exitCodes.invalid, 'A fork of an archived run takes another --output, and nothing else.');
    const { textMessage } = await import('@millrace/core');
    const message = output === undefined ? {} : { output: textMessage('assistant', output, '') };
    // An argument of a command has the form of an activation.
    return archivedIn(session).fork(source, { at: at as ActivationId, ...message });
  });

/** Returns what a fork of a run would take over, and what it would pay again. */
export const previewFork = (session: Session, run: string, at: string): Promise<ForkPreview> =>
  promptly(session, async () => (await runNamed(session, run)).previewFork(at));

const runNamed = async (session: Session, named: string): Promise<RunHandle> =>
  session.millrace.runs.get(await resolveRun(session, named));

/** Returns the runs of this machine, which alone can read its files. */
function archivedIn({ machine }: Session): Runs {
  if (machine !== undefined) return machine.runtime.runs;
  throw new CommandError(exitCodes.invalid, 'Archived runs are read on the machine itself; unset MILLRACE_URL.');
}
