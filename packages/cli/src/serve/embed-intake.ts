import { hostname } from 'node:os';
import { omitUndefined } from '@millrace/core/omit-undefined';
import type { LocalSession } from '../client/session.ts';
import { openLog } from '../output/log.ts';

/** Starts runs from the intake queue in this process. */
export async function embedIntake({ cli, machine, defer }: LocalSession, level: string): Promise<void> {
  const { startIntake } = await import('@millrace/orchestrator/intake');
  const config = await cli.config();
  const { outbound } = config;
  const log = await openLog(config, level);
  const intake = startIntake({
    ...machine,
    name: `${hostname()}-${process.pid}`,
    log,
    ...omitUndefined({ outbound }),
  });
  defer(() => intake.close());
}
