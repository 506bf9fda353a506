import type { Run, RunHandle } from '@millrace/client';
import type { Cli } from '../process/cli.ts';

/** Action on a run. */
export interface RunAction {
  readonly run: string;
  readonly json: boolean;
  perform(run: RunHandle): Promise<Run>;
}

/** Performs an action on a run, and prints the resulting status of the run. */
export async function actOnRun(cli: Cli, { run: named, json, perform }: RunAction): Promise<void> {
  const { reportMissingWorkers, withSession } = await import('../client/session.ts');
  const { resolveRun } = await import('../requests/resolve-run.ts');
  const { rethrowUnknownRun } = await import('./known-run.ts');
  await withSession(cli, {}, async (session) => {
    const run = await resolveRun(session, named);
    const { status } = await perform(session.millrace.runs.get(run)).catch(rethrowUnknownRun(run));
    if (json) cli.terminal.data(JSON.stringify({ runId: run, status }));
    else cli.terminal.say(`${run} is ${status}.`);
    if (status === 'running' || status === 'stopping') await reportMissingWorkers(session);
  });
}
