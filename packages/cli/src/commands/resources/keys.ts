import type { Scope } from '@millrace/core';
import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { durationArgument } from '../../options/duration-argument.ts';
import type { Cli } from '../../process/cli.ts';

interface CreateFlags {
  readonly tenant?: string;
  readonly scopes: readonly Scope[];
  readonly name?: string;
  readonly expires?: number;
  readonly json?: boolean;
}

interface ListFlags {
  readonly tenant?: string;
  readonly json?: boolean;
}

const allowed: readonly Scope[] = ['read', 'run', 'answer', 'admin'];

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
    .option('--scopes <list>', `what it allows, of ${allowed.join(', ')}; admin allows everything`, parseScopes, [
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
    .action(async (flags: CreateFlags) => create(cli, flags));
  keys
    .command('list')
    .description('list API keys without their secrets')
    .addHelpText('after', '\nExample:\n  millrace keys list')
    .option('--tenant <name>', 'keys of one tenant (default: of all tenants)')
    .option('--json', 'print a JSON array')
    .action(async (flags: ListFlags) => list(cli, flags));
  keys
    .command('revoke')
    .description('revoke an API key; all processes refuse it within a second')
    .addHelpText('after', '\nExample:\n  millrace keys revoke 01939a0c')
    .argument('<id>', 'id of the key')
    .option('--tenant <name>', 'tenant of the key (default: default)')
    .option('--json', 'print {id, revokedAt, …}')
    .action(async (id: string, flags: { tenant?: string; json?: boolean }) => revoke(cli, id, flags));
}

function parseScopes(text: string): Scope[] {
  return text.split(',').map((word) => {
    const scope = allowed.find((one) => one === word.trim());
    if (scope === undefined) throw new InvalidArgumentError(`Give some of ${allowed.join(', ')}, with commas between.`);
    return scope;
  });
}

async function create(cli: Cli, { tenant, scopes, name, expires, json }: CreateFlags): Promise<void> {
  const { withTenants } = await import('../../resources/tenants.ts');
  await withTenants(cli, async ({ own, now, of }) => {
    const whose = tenant ?? own;
    const { keys } = await of(whose);
    const {
      key: secret,
      id,
      ...made
    } = await keys.create({
      scopes: [...scopes],
      ...omitUndefined({ name }),
      ...(expires === undefined ? {} : { expiresAt: now + expires }),
    });
    cli.terminal.data(json ? JSON.stringify({ id, tenant: whose, ...made, key: secret }) : secret);
    cli.terminal.say(`Key ${id} of tenant ${whose}: ${scopes.join(', ')}. It is shown only once.`);
    cli.terminal.say('Send it as "Authorization: Bearer KEY". From now on the HTTP API requires a key.');
  });
}

async function list(cli: Cli, { tenant, json }: ListFlags): Promise<void> {
  const { withTenants } = await import('../../resources/tenants.ts');
  const { keysTable } = await import('../../output/tables/keys-table.ts');
  const { all: allOf } = await import('../../requests/first.ts');
  await withTenants(cli, async ({ all, now, of }) => {
    const tenants = tenant === undefined ? await all() : [tenant];
    const lists = tenants.map(async (whose) => {
      const keys = await allOf((await of(whose)).keys.list());
      return keys.map(({ id, ...key }) => ({ id, tenant: whose, ...key }));
    });
    const found = (await Promise.all(lists)).flat();
    if (json) cli.terminal.data(JSON.stringify(found, null, 2));
    else if (found.length === 0) cli.terminal.say('There are no keys. `millrace keys create` makes one.');
    else cli.terminal.data(keysTable(found, now));
  });
}

async function revoke(cli: Cli, id: string, { tenant, json }: { tenant?: string; json?: boolean }): Promise<void> {
  const { withTenants } = await import('../../resources/tenants.ts');
  await withTenants(cli, async ({ own, of }) => {
    const whose = tenant ?? own;
    const { id: revoked, ...key } = await (await of(whose)).keys.revoke(id);
    if (json) cli.terminal.data(JSON.stringify({ id: revoked, tenant: whose, ...key }));
    else cli.terminal.say(`Key ${id} of tenant ${whose} is revoked.`);
  });
}
