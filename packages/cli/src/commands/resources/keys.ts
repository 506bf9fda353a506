import type { Key, Millrace } from '@millrace/client';
import type { Scope } from '@millrace/core';
import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { LocalSession } from '../../client/session.ts';
import { isLocal, withSession } from '../../client/session.ts';
import { CommandError, exitCodes } from '../../exit/exit.ts';
import { durationArgument } from '../../options/arguments.ts';
import { printList } from '../../output/print-list.ts';
import type { Cli } from '../../process/cli.ts';
import { all as allOf } from '../../requests/pages.ts';

interface TenantFlags {
  readonly tenant?: string;
  readonly json?: boolean;
}

interface CreateFlags extends TenantFlags {
  readonly scopes: readonly Scope[];
  readonly name?: string;
  readonly expires?: number;
}

const scopeNames: readonly Scope[] = ['read', 'run', 'answer', 'admin'];

/** `millrace keys`: manages API keys. */
export function addKeys(program: Command, cli: Cli): void {
  const keys = program
    .command('keys')
    .description('manage API keys')
    .addHelpText('after', '\nExample:\n  millrace keys create --scopes read,run --name ci');
  keys
    .command('create')
    .description('create an API key and print it; it is shown only once')
    .addHelpText('after', '\nExample:\n  millrace keys create --scopes read,run --name ci --expires 90d')
    .option('--tenant <name>', 'tenant whose runs, tasks and workflows the key gives access to (default: default)')
    .option('--scopes <list>', `what it allows, of ${scopeNames.join(', ')}; admin allows everything`, parseScopes, [
      'read',
      'run',
      'answer',
    ])
    .option('--name <text>', 'description for people')
    .option(
      '--expires <duration>',
      'time for which the key is valid, such as 24h or 90d (default: until it is revoked)',
      durationArgument,
    )
    .option('--json', 'print {id, tenant, scopes, key, …}')
    .action((flags: CreateFlags) => create(cli, flags));
  keys
    .command('list')
    .description('list API keys without their secrets')
    .addHelpText('after', '\nExample:\n  millrace keys list')
    .option('--tenant <name>', 'keys of one tenant (default: of all tenants)')
    .option('--json', 'print a JSON array')
    .action((flags: TenantFlags) => list(cli, flags));
  keys
    .command('revoke')
    .description('revoke an API key; all processes refuse it within a second')
    .addHelpText('after', '\nExample:\n  millrace keys revoke 01939a0c')
    .argument('<id>', 'id of the key')
    .option('--tenant <name>', 'tenant of the key (default: default)')
    .option('--json', 'print {id, revokedAt, …}')
    .action((id: string, flags: TenantFlags) => revoke(cli, id, flags));
}

function parseScopes(text: string): Scope[] {
  return text.split(',').map((word) => {
    const scope = scopeNames.find((one) => one === word.trim());
    if (scope === undefined)
      throw new InvalidArgumentError(`Give some of ${scopeNames.join(', ')}, with commas between.`);
    return scope;
  });
}

async function create(cli: Cli, { tenant, scopes, name, expires, json }: CreateFlags): Promise<void> {
  await withTenants(cli, async ({ own, now, of }) => {
    const owner = tenant ?? own;
    const { keys } = await of(owner);
    const expiresAt = expires === undefined ? undefined : now + expires;
    const {
      key: secret,
      id,
      ...created
    } = await keys.create({
      scopes: [...scopes],
      ...omitUndefined({ name, expiresAt }),
    });
    cli.terminal.data(json ? JSON.stringify({ id, tenant: owner, ...created, key: secret }) : secret);
    cli.terminal.say(`Key ${id} of tenant ${owner}: ${scopes.join(', ')}. It is shown only once.`);
    cli.terminal.say('Send it as "Authorization: Bearer KEY". From now on the HTTP API requires a key.');
  });
}

async function list(cli: Cli, { tenant, json }: TenantFlags): Promise<void> {
  await withTenants(cli, async ({ all, now, of }) => {
    const tenants = tenant === undefined ? await all() : [tenant];
    const lists = tenants.map(async (owner) => {
      const keys = await allOf((await of(owner)).keys.list());
      return keys.map(({ id, ...key }) => ({ id, tenant: owner, ...key }));
    });
    await printList(cli.terminal, (await Promise.all(lists)).flat(), {
      json,
      empty: 'There are no keys. `millrace keys create` makes one.',
      head: ['ID', 'TENANT', 'SCOPES', 'NAME', 'CREATED', 'STATE'],
      row: (key) => [
        key.id,
        key.tenant,
        key.scopes.join(','),
        key.name ?? '',
        new Date(key.createdAt).toISOString(),
        stateOf(key, now),
      ],
    });
  });
}

function stateOf({ revokedAt, expiresAt }: Key, now: number): string {
  if (revokedAt !== undefined) return 'revoked';
  if (expiresAt === undefined) return 'valid';
  return expiresAt <= now ? 'expired' : `valid until ${new Date(expiresAt).toISOString()}`;
}

async function revoke(cli: Cli, id: string, { tenant, json }: TenantFlags): Promise<void> {
  await withTenants(cli, async ({ own, of }) => {
    const owner = tenant ?? own;
    const { id: revoked, ...key } = await (await of(owner)).keys.revoke(id);
    if (json) cli.terminal.data(JSON.stringify({ id: revoked, tenant: owner, ...key }));
    else cli.terminal.say(`Key ${id} of tenant ${owner} is revoked.`);
  });
}

/** Tenants that a command can reach: all of them on the machine itself, over HTTP that of the key. */
interface Tenants {
  /** Tenant of commands that name none. */
  readonly own: string;
  /** Milliseconds since 1970 by the clock of the installation. */
  readonly now: number;
  /** Returns the tenants that have keys. */
  all(): Promise<readonly string[]>;
  /** Returns the installation as a tenant sees it. Throws CommandError for a tenant that cannot be reached. */
  of(tenant: string): Promise<Millrace>;
}

/** Opens the tenants of the installation for the duration of `use`. */
const withTenants = (cli: Cli, use: (tenants: Tenants) => Promise<void>): Promise<void> =>
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

const localTenants = ({ machine: { runtime }, ofTenant }: LocalSession): Tenants => ({
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
});
