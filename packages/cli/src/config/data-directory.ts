import { existsSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

/** Directory of local data, and the reason for it. */
export interface DataDirectory {
  readonly directory: string;
  /** `working directory`: `.millrace` exists there; `user`: the one of this user. */
  readonly directoryOrigin: 'environment' | 'working directory' | 'user';
}

/** Returns the directory of local data: the one of the environment, else `./.millrace` if it exists, else that of the user. */
export function dataDirectory({
  MILLRACE_DIR,
  XDG_DATA_HOME,
}: {
  readonly MILLRACE_DIR?: string | undefined;
  readonly XDG_DATA_HOME?: string | undefined;
}): DataDirectory {
  if (MILLRACE_DIR !== undefined && MILLRACE_DIR !== '')
    return { directory: MILLRACE_DIR, directoryOrigin: 'environment' };
  const ofUser =
    XDG_DATA_HOME !== undefined && isAbsolute(XDG_DATA_HOME)
      ? join(XDG_DATA_HOME, 'millrace')
      : join(isAbsolute(homedir()) ? homedir() : userInfo().homedir, '.millrace');
  const ofProject = resolve('.millrace');
  if (ofProject !== ofUser && existsSync(ofProject))
    return { directory: ofProject, directoryOrigin: 'working directory' };
  return { directory: ofUser, directoryOrigin: 'user' };
}
