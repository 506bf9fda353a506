import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Command } from 'commander';
import { reportMissingWorkers, withMachine } from '../../client/session.ts';
import { exitCodes } from '../../exit/exit.ts';
import { parsePort } from '../../options/arguments.ts';
import type { ApiFlags, LogFlags, MetricsFlags } from '../../options/server-options.ts';
import {
  addApiOptions,
  addLogOption,
  defaultPort,
  metricsAddressOf,
  withMetricsOptions,
} from '../../options/server-options.ts';
import type { ServiceLog } from '../../output/log.ts';
import { openServiceLog } from '../../output/log.ts';
import type { Cli } from '../../process/cli.ts';
import { aborted, interruption } from '../../process/interruption.ts';
import type { ApiAddress } from '../../serve/embed-api.ts';
import { assertAddresses, embedApi, embedIntake } from '../../serve/embed-api.ts';

interface ServeFlags extends MetricsFlags, ApiFlags, LogFlags {
  readonly port: number;
}

/** `millrace serve`: serves the HTTP API. */
export function addServe(program: Command, cli: Cli): void {
  const command = withMetricsOptions(program.command('serve'))
    .description('serve the HTTP API until Ctrl-C; workers are separate processes')
    .addHelpText('after', '\nExample:\n  millrace serve --port 4700')
    .option('--port <n>', 'port of the HTTP API; 0: any free port', parsePort, defaultPort);
  addLogOption(addApiOptions(command)).action(({ port, host, ui, json, ...flags }: ServeFlags) =>
    serve(
      cli,
      { port, ui, ...omitUndefined({ host }), ...metricsAddressOf(flags) },
      { level: 'warn', ...omitUndefined({ json }) },
    ),
  );
}

/** Serves the HTTP API until Ctrl-C, SIGTERM or SIGHUP; other processes execute the runs. */
async function serve(cli: Cli, address: ApiAddress, logging: ServiceLog): Promise<void> {
  await assertAddresses(address, address.metrics);
  const { signal, dispose } = await interruption(cli, exitCodes.completed);
  await withMachine(cli, { command: 'serve', throughOutages: true, stopping: signal }, async (session) => {
    // The jobs of dead servers are recovered, and alarms submitted, also without a worker. Workers remove runs.
    const caretaker = session.machine.runtime.startCaretaker({ removes: false });
    session.defer(() => caretaker.close());
    const start = async () => {
      await session.machine.runtime.shared?.storage.check();
      const log = await openServiceLog(cli, logging);
      await embedApi(session, address, log);
      await embedIntake(session, log);
      await reportMissingWorkers(session);
    };
    await Promise.race([start(), aborted(signal)]);
    await aborted(signal);
    cli.terminal.say('Stopping after the current requests. Press Ctrl-C again to stop immediately.');
  });
  dispose();
}
