import { reportMissingWorkers, withMachine } from '../client/session.ts';
import { exitCodes } from '../exit/exit.ts';
import type { Cli } from '../process/cli.ts';
import { aborted, interruption } from '../process/interruption.ts';
import type { ApiAddress } from './embed-api.ts';
import { embedApi, embedIntake } from './embed-api.ts';

/** Serves the HTTP API until Ctrl-C or a polite kill; others work on the runs. */
export async function serveApi(cli: Cli, address: ApiAddress): Promise<void> {
  const { signal, dispose } = await interruption(cli, exitCodes.completed);
  await withMachine(cli, { command: 'serve', throughOutages: true, stopping: signal }, async (session) => {
    // The jobs of dead servers are recovered, and alarms submitted, also without a worker. Workers remove runs.
    const caretaker = session.machine.runtime.startCaretaker({ removes: false });
    session.defer(() => caretaker.close());
    const start = async () => {
      await session.machine.runtime.shared?.storage.check();
      await embedApi(session, address);
      await embedIntake(session, 'warn');
      await reportMissingWorkers(session);
    };
    await Promise.race([start(), aborted(signal)]);
    await aborted(signal);
    cli.terminal.say('Stopping after the current requests. Press Ctrl-C again to stop immediately.');
  });
  dispose();
}
