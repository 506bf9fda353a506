import type { Cli } from './cli.ts';
import type { ApiAddress } from './embed-api.ts';
import { embedApi } from './embed-api.ts';
import { embedIntake } from './embed-intake.ts';
import { aborted, interruption } from './interruption.ts';
import { sayWhenIdle, withMachine } from './session.ts';

/** Serves the HTTP API until Ctrl-C or a polite kill; others work on the runs. */
export async function serveApi(cli: Cli, address: ApiAddress): Promise<void> {
  const { signal, dispose } = interruption();
  await withMachine(cli, { command: 'serve', throughOutages: true }, async (session) => {
    await embedApi(session, address);
    await embedIntake(session, 'warn');
    await sayWhenIdle(session);
    await aborted(signal);
    cli.terminal.say('Stopping: requests are finished first. Ctrl-C again stops at once.');
  });
  dispose();
}
