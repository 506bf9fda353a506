import { withMachine } from '../client/session.ts';
import { parseConfig } from '../config/parse-config.ts';
import { CommandError, exitCodes } from '../exit/exit.ts';
import type { Cli } from '../process/cli.ts';

/** Time between two lines about the progress, in milliseconds. */
const sayEveryMs = 2000;

/** Copies the contents of a store to the one of the environment, and reports their numbers. */
export async function copyContents(cli: Cli, { from, json }: { from: string; json: boolean }): Promise<void> {
  const { environment } = await cli.config();
  const { blobs: source } = parseConfig({ ...environment, MILLRACE_BLOBS: from });
  if (source === undefined)
    throw new CommandError(exitCodes.invalid, '--from must name a store, such as dir:/srv/blobs.');
  await withMachine(cli, { command: 'blobs copy' }, async ({ machine }) => {
    const storage = machine.runtime.shared?.storage;
    await storage?.check();
    let said = performance.now();
    const result = await storage?.copyFrom(source, ({ copied, present }) => {
      if (performance.now() - said < sayEveryMs) return;
      said = performance.now();
      cli.terminal.say(`${copied} copied, ${present} were there`, 'dim');
    });
    if (result === undefined) return;
    if (json) cli.terminal.data(JSON.stringify(result));
    else cli.terminal.say(`${result.copied} contents are copied; ${result.present} were there before.`);
    if (result.damaged === 0) return;
    cli.terminal.say(`! ${result.damaged} contents are damaged in ${from}, and were not copied.`, 'yellow');
    cli.exit = exitCodes.failed;
  });
}
