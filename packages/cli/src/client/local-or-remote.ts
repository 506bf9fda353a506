import type { Millrace } from '@millrace/client';
import type { Cli } from '../process/cli.ts';
import { connectRemote } from './connect-remote.ts';
import type { LocalSession } from './session.ts';
import { isLocal, withSession } from './session.ts';

/** The two ways to the same thing. */
export interface LocalOrRemote<T> {
  remote(millrace: Millrace): Promise<T>;
  local(session: LocalSession): Promise<T>;
}

/** Does it behind the HTTP API of MILLRACE_URL, or else on this machine. */
export async function localOrRemote<T>(cli: Cli, { remote: far, local: near }: LocalOrRemote<T>): Promise<T> {
  const { api } = await cli.config();
  if (api !== undefined) return far(await connectRemote(cli, api));
  return withSession(cli, {}, (session) => {
    if (!isLocal(session)) throw new Error('a session without MILLRACE_URL is near');
    return near(session);
  });
}
