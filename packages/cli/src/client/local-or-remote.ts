import type { Millrace } from '@millrace/client';
import type { Cli } from '../process/cli.ts';
import { farClient } from './connect-remote.ts';
import type { NearSession } from './session.ts';
import { isNear, withSession } from './session.ts';

/** The two ways to the same thing. */
export interface NearOrFar<T> {
  far(millrace: Millrace): Promise<T>;
  near(session: NearSession): Promise<T>;
}

/** Does it behind the HTTP API of MILLRACE_URL, or else on this machine. */
export async function nearOrFar<T>(cli: Cli, { far, near }: NearOrFar<T>): Promise<T> {
  const { api } = await cli.config();
  if (api !== undefined) return far(await farClient(cli, api));
  return withSession(cli, {}, (session) => {
    if (!isNear(session)) throw new Error('a session without MILLRACE_URL is near');
    return near(session);
  });
}
