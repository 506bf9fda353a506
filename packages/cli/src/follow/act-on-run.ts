import type { RunId } from '@millrace/core';
import type { Orders } from '../client/cli-client.ts';
import type { Cli } from '../process/cli.ts';

/** Something that is asked of a run, and how that is told. */
export interface Order {
  readonly run: RunId;
  readonly json: boolean;
  carryOut(runs: Orders): Promise<void>;
}

/** Asks something of a run and says where it stands then. */
export async function orderRun(cli: Cli, { run, json, carryOut }: Order): Promise<void> {
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
