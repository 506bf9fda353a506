import { expect } from 'vitest';
import { command } from '../processes/command.ts';
import type { CommandResult } from '../processes/millrace.ts';
import type { ServedApi, Tenant } from './api.ts';

type Command = (...args: readonly string[]) => Promise<CommandResult>;

/** Returns commands that speak to an API as a tenant, and the same on its Redis, in a directory and with further variables. */
export function commandsOf(
  api: ServedApi,
  tenant: Tenant,
  directory: string,
  variables: Readonly<Record<string, string>> = {},
): { readonly remote: Command; readonly local: Command; readonly both: Command } {
  const remote: Command = (...args) => command(args, { ...variables, ...tenant.env });
  const local: Command = (...args) => command(args, { ...variables, ...api.redis.env, MILLRACE_DIR: directory });
  return {
    remote,
    local,
    /** Runs a command in both ways, checks that both print the same, and returns the result. */
    async both(...args) {
      const [one, other] = await Promise.all([remote(...args), local(...args)]);
      expect(one.code, one.stderr).toBe(other.code);
      expect(one.stdout).toBe(other.stdout);
      return one;
    },
  };
}
