import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { withSession } from '../../client/session.ts';
import type { Config } from '../../config/settings.ts';
import { CommandError, exitCodes } from '../../exit/exit.ts';
import type { Cli } from '../../process/cli.ts';
import { describe, resolveRun } from '../../requests/resolve-run.ts';
import { servedAddress } from '../../serve/served-address.ts';

/** `millrace open`: opens the page of a run in the dashboard. */
export function addOpen(program: Command, cli: Cli): void {
  program
    .command('open')
    .description('open the page of a run in the dashboard, and print its address')
    .argument('<run>', 'id of the run, or the beginning of it')
    .addHelpText(
      'after',
      '\nThe dashboard is that of MILLRACE_URL, or of a `millrace up` or `millrace serve` of this installation.\nWithout a terminal or a browser, only the address is printed.\n\nExample:\n  millrace open run_0199a1b2',
    )
    .action(async (run: string) => open(cli, run));
}

async function open(cli: Cli, named: string): Promise<void> {
  const config = await cli.config();
  const base = await dashboardOf(config);
  const run = await withSession(cli, {}, async (session) => {
    const id = await resolveRun(session, named);
    return (await describe(session, id)).runId;
  });
  const url = `${base}/ui/runs/${encodeURIComponent(run.slice(run.indexOf('~') + 1))}`;
  cli.terminal.data(url);
  if (cli.terminal.columns === undefined) return;
  const opener = browserOpener(process.platform, config.environment);
  if (opener !== undefined && !(await openInBrowser(opener, url)))
    cli.terminal.say(`${opener[0]} could not be started: open the address in a browser.`);
}

async function dashboardOf({ api, directory }: Config): Promise<string> {
  if (api !== undefined) return api.url.replace(/\/+$/, '');
  const url = await servedAddress(directory);
  if (url !== undefined) return url;
  throw new CommandError(
    exitCodes.invalid,
    `No dashboard is served for the installation in ${directory}. Start it in another terminal: millrace up`,
  );
}

/** Program that opens an address, with its arguments before the address. */
type Opener = readonly [program: string, ...args: string[]];

/** Returns the program that opens addresses in the default browser; undefined where no browser can be shown. */
export function browserOpener(
  platform: NodeJS.Platform,
  {
    DISPLAY,
    WAYLAND_DISPLAY,
  }: { readonly DISPLAY?: string | undefined; readonly WAYLAND_DISPLAY?: string | undefined },
): Opener | undefined {
  if (platform === 'darwin') return ['open'];
  // `start` is a built-in of the shell, which would interpret the address.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return DISPLAY || WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}

/** Opens an address with a program; returns whether the program started. */
export function openInBrowser([program, ...args]: Opener, url: string): Promise<boolean> {
  const child = spawn(program, [...args, url], { detached: true, stdio: 'ignore' });
  child.unref();
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('spawn', () => resolve(true));
  });
}
