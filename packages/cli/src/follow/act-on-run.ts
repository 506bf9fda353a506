import type { RunId } from '@millrace/core';
import type { RunControl } from '../client/cli-client.ts';
import type { Cli } from '../process/cli.ts';

/** Something that is asked of a run, and how that is told. */
export interface RunAction {
  readonly run: RunId;
  readonly json: boolean;
  carryOut(runs: RunControl): Promise<void>;
}

/** Asks something of a run and says where it stands then. */
export async function actOnRun(cli: Cli, { run, json, carryOut }: RunAction): Promise<void> {
  const { describe } = await import('./follow.ts');
  const { sayWhenIdle, withSession } = await import('../client/session.ts');
  await withSession(cli, {}, async (session) => {
    await describe(session, run);
    await carryOut(session.installation);
    const { status } = await describe(session, run);
    if (json) cli.terminal.data(JSON.stringify({ runId: run, status }));
    else cli.terminal.say(`${run} is ${status}.`);
    if (status === 'running' || status === 'stopping') await sayWhenIdle(session);
  });
}
