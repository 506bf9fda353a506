import { hostname } from 'node:os';
import type { NearSession } from './session.ts';

/** Starts runs from the intake queue in this process. */
export async function embedIntake({ cli, machine, defer }: NearSession, level: string): Promise<void> {
  const [{ startIntake }, { pino }] = await Promise.all([import('@millrace/orchestrator'), import('pino')]);
  const { logLevel, outbound } = await cli.config();
  const log = pino({ level: logLevel ?? level }, pino.destination({ fd: 2, sync: true }));
  const intake = startIntake({
    ...machine,
    name: `${hostname()}-${process.pid}`,
    log,
    ...(outbound === undefined ? {} : { outbound }),
  });
  defer(() => intake.close());
}
