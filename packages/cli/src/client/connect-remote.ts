import type { Client } from '@millrace/client';
import type { Config } from '../config/settings.ts';
import type { Cli } from '../process/cli.ts';
import { fetchJson } from './fetch-json.ts';

/** Minimum length of a reported wait, in milliseconds. */
const longMs = 1000;

/** Connects to the HTTP API of MILLRACE_URL. The command reports waits for a busy server. */
export async function connectRemote({ terminal }: Cli, api: NonNullable<Config['api']>): Promise<Client> {
  const { createHttpClient } = await import('@millrace/client');
  return createHttpClient({
    ...api,
    fetch: fetchJson,
    onWait({ status, ms }) {
      if (status === undefined || ms < longMs) return;
      const why = status === 429 ? 'takes no more requests for now' : `is busy (${status})`;
      terminal.say(`${api.url} ${why}: trying again in ${Math.ceil(ms / 1000)} s.`, 'dim');
    },
  });
}
