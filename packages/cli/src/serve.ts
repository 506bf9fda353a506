import type { Cli } from './cli.ts';
import { aborted, interruption } from './interruption.ts';
import { embedWorker, withSession } from './session.ts';

/** Works on runs until Ctrl-C or a polite kill. */
export async function serve(cli: Cli, options: { concurrency?: number; logLevel: string }): Promise<void> {
  const { signal, dispose } = interruption();
  await withSession(cli, {}, async (session) => {
    await embedWorker(session, options);
    cli.terminal.say('Working on runs. Start one in another terminal: millrace run FILE. Ctrl-C stops.');
    await aborted(signal);
    cli.terminal.say('Stopping.');
  });
  dispose();
}
