import { resolve } from 'node:path';
import type { ForkPreview, ForkRun, ReplayRun, RunHandle } from '@millrace/client';
import type { ActivationId } from '@millrace/core';
import { omitUndefined } from '@millrace/core/omit-undefined';
import type { ArchiveFile, Runs } from '@millrace/runtime';
import { localArchive, s3Archive } from '@millrace/runtime';
import type { Session } from '../client/session.ts';
import { promptly } from '../client/session.ts';
import { CommandError, exitCodes } from '../exit/exit.ts';
import { showingCopy } from '../output/copy-status.ts';
import type { Cli } from '../process/cli.ts';
import { assertActivationId, resolveActivation } from './resolve-activation.ts';
import { resolveRun } from './resolve-run.ts';

/** Run that another one is made of: its id, or the path or URL of its archive. */
export type RunSource = string | { readonly file: string };

/** Returns the source that a command names. Throws CommandError unless it names one. */
export function runSource(run: string | undefined, file: string | undefined): RunSource {
  if (run !== undefined && file === undefined) return run;
  if (file !== undefined && run === undefined) return { file: file.startsWith('s3:') ? file : resolve(file) };
  throw new CommandError(exitCodes.invalid, 'Give the id of a run, or --file with the path of an archived one.');
}

/** Returns the name of a source for people. */
export const sourceName = (source: RunSource): string => (typeof source === 'string' ? source : source.file);

/** Replays a run and returns the id of the new one. */
export const replayRun = (session: Session, source: RunSource, how: ReplayRun): Promise<string> =>
  promptly(session, async () => {
    const { terminal } = session.cli;
    if (typeof source === 'string') {
      const run = await runNamed(session, source);
      const from = how.liveFrom === undefined ? {} : { liveFrom: await resolveActivation(run, how.liveFrom) };
      return (await showingCopy(terminal, (copy) => run.replay({ ...how, ...from }, copy))).id;
    }
    const { budgetFromDollars } = await import('@millrace/core');
    const { liveFrom, mode, ttlSeconds, budget, workflow, vars } = how;
    const runs = archivedIn(session);
    const file = await archiveFile(session.cli, source.file);
    const request = omitUndefined({
      liveFrom: liveFrom === undefined ? undefined : (assertActivationId(liveFrom) as ActivationId),
      mode,
      ttlMs: ttlSeconds === undefined ? undefined : ttlSeconds * 1000,
      budget: budget === undefined ? undefined : budgetFromDollars(budget),
      plan: await planOf(session, file, { workflow, vars }),
    });
    return showingCopy(terminal, (copy) => runs.replay({ file }, { ...request, ...copy }));
  });

/** Forks a run and returns the id of the new one. */
export const forkRun = (session: Session, source: RunSource, { at, output, ...changes }: ForkRun): Promise<string> =>
  promptly(session, async () => {
    const { terminal } = session.cli;
    const edited = output === undefined ? {} : { output };
    if (typeof source === 'string') {
      const run = await runNamed(session, source);
      const activation = await resolveActivation(run, at);
      return (await showingCopy(terminal, (copy) => run.fork({ at: activation, ...edited, ...changes }, copy))).id;
    }
    const { textMessage } = await import('@millrace/core');
    const { input, prompt, model, workflow, vars } = changes;
    const runs = archivedIn(session);
    const file = await archiveFile(session.cli, source.file);
    const request = {
      at: assertActivationId(at) as ActivationId,
      ...omitUndefined({
        output: output === undefined ? undefined : textMessage('assistant', output, ''),
        input,
        settings: prompt === undefined && model === undefined ? undefined : omitUndefined({ prompt, model }),
        plan: await planOf(session, file, { workflow, vars }),
      }),
    };
    return showingCopy(terminal, (copy) => runs.fork({ file }, { ...request, ...copy }));
  });

/** Returns the workflow of a replay or fork of an archived run, read on this machine; undefined if it is unchanged. */
async function planOf(session: Session, file: ArchiveFile, { workflow, vars }: Pick<ForkRun, 'workflow' | 'vars'>) {
  if (workflow === undefined && vars === undefined) return undefined;
  const { millrace, machine } = session;
  if (machine === undefined) throw new Error('archived runs are read on the machine itself');
  const { readArchivedWorkflow } = await import('@millrace/runtime');
  const archived = await readArchivedWorkflow(file);
  const { RequestError, withoutReferences, withoutSecrets } = await import('@millrace/core');
  const variables = { ...withoutReferences(archived.definition?.vars ?? {}), ...vars };
  const text =
    typeof workflow === 'string' ? await millrace.workflows.get(workflow) : (workflow ?? archived.definition);
  if (text === undefined)
    throw new RequestError(
      'FORK_TEXT_MISSING',
      `${file.name} does not contain the text of its workflow. Give the text as well: \`--workflow FILE\`.`,
    );
  const { yaml } = text;
  const { readText } = await import('../workflow/load-workflow.ts');
  const { vocabulary } = machine;
  const read = await readText(
    { file: 'the workflow', text: yaml },
    { vocabulary, mode: 'run', environment: {}, variables, ...omitUndefined({ compat: archived.workflow.compat }) },
  );
  const [problem] = read.issues.filter(({ severity }) => severity === 'error');
  if (read.workflow !== undefined)
    return {
      workflow: read.workflow,
      definition: { yaml, vars: withoutSecrets(variables, read.secretVariables ?? []) },
    };
  throw new RequestError(
    'WORKFLOW_INVALID',
    `The workflow is invalid at line ${problem?.line}: ${problem?.message} [${problem?.code}]. \`millrace check\` lists all problems.`,
  );
}

/** Returns the history that a fork of a run would take over, and the calls that it would repeat. */
export const previewFork = (session: Session, run: string, at: string): Promise<ForkPreview> =>
  promptly(session, async () => {
    const handle = await runNamed(session, run);
    return handle.previewFork(await resolveActivation(handle, at));
  });

const runNamed = async (session: Session, named: string): Promise<RunHandle> =>
  session.millrace.runs.get(await resolveRun(session, named));

/** Returns the runs of this machine, which alone can read its files. */
function archivedIn({ machine }: Session): Runs {
  if (machine !== undefined) return machine.runtime.runs;
  throw new CommandError(exitCodes.invalid, 'Archived runs are read on the machine itself; unset MILLRACE_URL.');
}

/** Returns an archived run by the path of its file, or the URL of an object in the archive. Throws CommandError. */
export async function archiveFile(cli: Cli, named: string): Promise<ArchiveFile> {
  if (!named.startsWith('s3:')) return localArchive(resolve(named));
  const { archive } = await cli.config();
  const location = archive?.type === 's3' ? `s3://${archive.location.bucket}/${archive.location.prefix}` : undefined;
  if (archive?.type !== 's3' || location === undefined || !named.startsWith(location)) {
    const where = location === undefined ? 'no location in S3' : location;
    throw new CommandError(
      exitCodes.invalid,
      `${named} is not in the archive: MILLRACE_ARCHIVE names ${where}. Set it to the location of the object.`,
    );
  }
  return s3Archive(archive, named.slice(location.length));
}
