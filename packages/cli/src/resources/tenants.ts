import type { Millrace } from '@millrace/client';
import type { LocalSession } from '../client/session.ts';
import { isLocal, withSession } from '../client/session.ts';
import { CommandError, exitCodes } from '../exit/exit.ts';
import type { Cli } from '../process/cli.ts';

/** Tenants that a command can reach: all of them on the machine itself, over HTTP that of the key. */
export interface Tenants {
  /** Tenant that is meant when none is named. */
  readonly own: string;
  /** Milliseconds since 1970 by the clock of the installation. */
  readonly now: number;
  /** Returns the tenants that have keys. */
  all(): Promise<readonly string[]>;
  /** Returns the installation as a tenant sees it. Throws CommandError for a tenant that cannot be reached. */
  of(tenant: string): Promise<Millrace>;
}

/** Lends the tenants of the installation. */
export const withTenants = (cli: Cli, use: (tenants: Tenants) => Promise<void>): Promise<void> =>
  withSession(cli, {}, async (session) => {
    if (isLocal(session)) return use(localTenants(session));
    const { api } = await cli.config();
    const own = /^mk_([a-z0-9-]+)_/.exec(api?.apiKey ?? '')?.[1] ?? 'default';
    return use({
      own,
      now: Date.now(),
      all: async () => [own],
      async of(tenant) {
        if (tenant === own) return session.millrace;
        throw new CommandError(exitCodes.notAllowed, `Over MILLRACE_URL only the keys of ${own} are available.`);
      },
    });
  });

const pageSize = 200;

function localTenants({ machine: { runtime }, ofTenant }: LocalSession): Tenants {
  return {
    own: 'default',
    now: runtime.store.now(),
    async all() {
      const { createApiKeys } = await import('@millrace/runtime');
      const keys = createApiKeys(runtime.store);
      const found: string[] = [];
      for (;;) {
        const page = await keys.tenants(found.at(-1) ?? '', pageSize);
        for (const tenant of page) found.push(tenant);
        if (page.length < pageSize) return found;
      }
    },
    async of(tenant) {
      const { assertTenant } = await import('@millrace/core');
      assertTenant(tenant);
      return ofTenant(tenant);
    },
  };
}
