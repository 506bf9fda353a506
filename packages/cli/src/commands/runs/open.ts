import type { Command } from 'commander';
import type { Config } from '../../config/settings.ts';
import type { Cli } from '../../process/cli.ts';

/** `millrace open`: opens the page of a run in the dashboard. */
export function addOpen(program: Command, cli: Cli): void {
  program
    .command('open')
    .description('open the page of a run in the dashboard, and print its address')
    .argument('<run>', 'id of the run, or the beginning of it')
    .addHelpText(
      'after',
      '\nThe dashboard is that of MILLRACE_URL, or of a `millrace up --port` or `millrace serve` of this installation.\nWithout a terminal or a browser, only the address is printed.\n\nExample:\n  millrace open run_0199a1b2',
    )
    .action(async (run: string) => open(cli, run));
}

async function open(cli: Cli, named: string): Promise<void> {
  const { withSession } = await import('../../client/session.ts');
  const { describe } = await import('../../follow/known-run.ts');
  const { resolveRun } = await import('../../requests/resolve-run.ts');
  const config = await cli.config();
  const base = await dashboardOf(config);
  const run = await withSession(cli, {}, async (session) => {
    const id = await resolveRun(session, named);
    return (await describe(session, id)).runId;
  });
  const url = `${base}/ui/runs/${encodeURIComponent(run.slice(run.indexOf('~') + 1))}`;
  cli.terminal.data(url);
  if (cli.terminal.columns === undefined) return;
  const { browserOpener, openInBrowser } = await import('../../process/open-in-browser.ts');
  const opener = browserOpener(process.platform, config.environment);
  if (opener !== undefined && !(await openInBrowser(opener, url)))
    cli.terminal.say(`${opener[0]} could not be started: open the address in a browser.`);
}

async function dashboardOf({ api, directory }: Config): Promise<string> {
  if (api !== undefined) return api.url.replace(/\/+$/, '');
  const { servedAddress } = await import('../../serve/served-address.ts');
  const url = await servedAddress(directory);
  if (url !== undefined) return url;
  const { CommandError, exitCodes } = await import('../../exit/exit.ts');
  throw new CommandError(
    exitCodes.invalid,
    `No dashboard is served for the installation in ${directory}. Start it in another terminal: millrace up --port 4700`,
  );
}
