import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { visibleText } from './visible-text.ts';

/** Opens the log of this process: JSON lines on stderr, from the level that the environment names or else this one on. */
export async function openLog({ logLevel }: Pick<Config, 'logLevel'>, otherwise: string): Promise<Logger> {
  const { pino } = await import('pino');
  return pino(
    { level: logLevel ?? otherwise, hooks: { streamWrite: visibleText } },
    pino.destination({ fd: 2, sync: true }),
  );
}
