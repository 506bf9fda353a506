import type { Cli } from './cli.ts';
import type { ApiAddress } from './embed-api.ts';
import { embedIntake } from './embed-intake.ts';
import { aborted, interruption } from './interruption.ts';
import type { EmbeddedWorker } from './session.ts';
import { embedWorker, withSession } from './session.ts';

/** How runs are worked on. */
export interface ServeOptions {
  readonly concurrency?: number;
  readonly logLevel: string;
  /** The queues that are served; absent: as the environment says, or the default queue. */
  readonly queues?: EmbeddedWorker['queues'];
  /** Serves the HTTP API as well. */
  readonly api?: ApiAddress;
}

/** Works on runs until Ctrl-C or a polite kill. */
export async function serve(cli: Cli, { api, ...options }: ServeOptions): Promise<void> {
  const { signal, dispose } = interruption();
  await withSession(cli, {}, async (session) => {
    await embedWorker(session, options);
    await embedIntake(session, options.logLevel);
    if (api !== undefined) {
      const { embedApi } = await import('./embed-api.ts');
      await embedApi(session, api);
    }
    cli.terminal.say('Working on runs. Start one in another terminal: millrace run FILE. Ctrl-C stops.');
    await aborted(signal);
    cli.terminal.say('Stopping.');
  });
  dispose();
}
