import type { Session } from './session.ts';

/** Where the HTTP API is to listen. */
export interface ApiAddress {
  readonly port: number;
  /** Absent: 127.0.0.1. */
  readonly host?: string;
}

/** Serves the HTTP API in this process, and says where. */
export async function embedApi(session: Session, address: ApiAddress): Promise<void> {
  const { cli, runtime, vocabulary } = session;
  const { logLevel, manners } = await cli.config();
  const [{ startOrchestrator }, { pino }] = await Promise.all([import('@millrace/orchestrator'), import('pino')]);
  const log = pino({ level: logLevel ?? 'warn' }, pino.destination({ fd: 2, sync: true }));
  const orchestrator = await startOrchestrator({ runtime, vocabulary, log, manners, ...address });
  session.defer(() => orchestrator.close());
  cli.terminal.say(`The HTTP API is at ${orchestrator.url} (described by ${orchestrator.url}/openapi.json).`);
  if (orchestrator.open) {
    const warning =
      '! It asks nobody who they are: every program on this machine can start runs, and with them programs. `millrace keys create` makes it ask for keys.';
    cli.terminal.say(cli.terminal.paint.yellow(warning));
  }
}
