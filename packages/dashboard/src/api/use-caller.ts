import type { Me } from '@millrace/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { millrace } from './millrace.ts';
import type { Needed } from './needed.ts';
import { noteServerTime } from './server-clock.ts';

const everyMs = 15_000;

/** The caller of this browser, and the state of the server. */
export const callerQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }): Promise<Me> => {
    const me = await millrace.me({ signal });
    noteServerTime(me.server.now);
    return me;
  },
});

/** Loads the caller, and keeps it up to date. */
export const useCaller = () => useQuery({ ...callerQuery, refetchInterval: everyMs });

/** Returns the reason why the caller lacks a scope; undefined if the caller has it, or is not known yet. */
export function useMissingScope(needed: Needed | undefined): string | undefined {
  const { data: me } = useCaller();
  return missingScope(me, needed);
}

/** Returns the reason why a caller lacks a scope; undefined if the caller has it, or is not known yet. */
export function missingScope(me: Me | undefined, needed: Needed | undefined): string | undefined {
  if (needed === undefined || me === undefined) return undefined;
  if (needed === 'operator')
    return me.operator
      ? undefined
      : 'This needs a key of an operator: with the scope "admin", of the tenant "default".';
  if (me.scopes.some((scope) => scope === needed || scope === 'admin')) return undefined;
  return `This needs a key with the scope "${needed}"; yours has ${me.scopes.join(', ')}.`;
}
