import type { Client } from '@millrace/client';
import { tenantOf, withoutTenant, withTenant } from '@millrace/core';
import type { LocalClientOptions } from '@millrace/orchestrator/local';
import { createLocalClient } from '@millrace/orchestrator/local';

/** Clients of an installation to which this process is connected directly. */
export interface LocalClients {
  /** Client that accepts and returns full ids of runs, with their tenant; all other resources are those of the default tenant. */
  readonly all: Client;
  /** Returns the client of a tenant, which also uses full ids of runs. */
  of(tenant: string): Client;
}

/** Opens clients of all tenants. */
export function openLocalClients(options: Omit<LocalClientOptions, 'tenant'>): LocalClients {
  const opened = new Map<string, Client>();
  const of = (tenant: string): Client => {
    const client = opened.get(tenant) ?? withTenantIds(tenant, createLocalClient({ ...options, tenant }));
    opened.set(tenant, client);
    return client;
  };
  const ownerOf = (name: string, input: object): Client => of(tenantOf(runIn(name, input) ?? ''));
  return {
    of,
    all: {
      call: (name, input, call) => ownerOf(name, input).call(name, input, call),
      content: (name, input, call) => ownerOf(name, input).content(name, input, call),
      events: (name, input, call) => ownerOf(name, input).events(name, input, call),
      live: of('default').live,
      readiness: of('default').readiness,
    },
  };
}

/** Returns the full id of the run in an input. */
function runIn(name: string, input: { readonly id?: unknown; readonly run?: unknown }): string | undefined {
  if (name === 'tasks.list') return typeof input.run === 'string' ? input.run : undefined;
  return /^(runs|tasks)\./.test(name) && typeof input.id === 'string' ? input.id : undefined;
}

/** Wraps the client of a tenant so that it accepts and returns full ids of runs. */
function withTenantIds(tenant: string, client: Client): Client {
  const inside = <T extends object>(name: string, input: T): T => {
    const run = runIn(name, input);
    if (run === undefined || tenantOf(run) !== tenant) return input;
    return { ...input, [name === 'tasks.list' ? 'run' : 'id']: withoutTenant(run) };
  };
  return {
    call: async (name, input, call) =>
      withTenantNames(tenant, name, await client.call(name, inside(name, input), call)),
    content: (name, input, call) => client.content(name, inside(name, input), call),
    events: (name, input, call) => client.events(name, inside(name, input), call),
    live: client.live,
    readiness: client.readiness,
  };
}

/** Parts of a response that name a run. */
interface RunNames {
  readonly id?: string;
  readonly runId?: string;
  readonly tasks?: readonly RunNames[];
  readonly data?: unknown;
}

function withTenantNames<T>(tenant: string, name: string, body: T): T {
  if (tenant === 'default' || !/^(runs|tasks)\./.test(name)) return body;
  const runOf = (one: RunNames): RunNames => ({
    ...one,
    ...(one.runId === undefined ? {} : { runId: withTenant(tenant, one.runId) }),
    ...(one.tasks === undefined ? {} : { tasks: one.tasks.map(taskOf) }),
  });
  const taskOf = (one: RunNames): RunNames => ({
    ...runOf(one),
    ...(one.id === undefined ? {} : { id: withTenant(tenant, one.id) }),
  });
  const named: RunNames = body as RunNames; // all responses are objects
  const itemOf = name.startsWith('tasks.') ? taskOf : runOf;
  if (name !== 'runs.list' && name !== 'tasks.list') return itemOf(named) as T;
  return { ...named, data: (named.data as readonly RunNames[]).map(itemOf) } as T; // lists have their items there
}
