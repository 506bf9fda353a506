import type { Millrace } from '@millrace/client';
import type { Config } from '../config/config.ts';
import type { Cli } from '../process/cli.ts';

/** Waits that are shorter are nobody's concern, in milliseconds. */
const longMs = 1000;

/** The client of the API that commands speak to. People are told when a busy server makes it wait. */
export async function connectRemote({ terminal }: Cli, api: NonNullable<Config['api']>): Promise<Millrace> {
  const { Millrace } = await import('@millrace/client');
  return new Millrace({
    ...api,
    onWait({ status, ms }) {
      if (status === undefined || ms < longMs) return;
      const why = status === 429 ? 'takes no more requests for now' : `is busy (${status})`;
      terminal.say(`${api.url} ${why}: tried again in ${Math.ceil(ms / 1000)} s.`, 'dim');
    },
  });
}
