import type { Limit, LimitsResource } from '@millrace/client';
import { withSession } from '../client/session.ts';
import { columns } from '../output/tables/columns.ts';
import type { Cli } from '../process/cli.ts';

/** Prints the limits of tenants and workflows. */
export async function listLimits(cli: Cli, json: boolean): Promise<void> {
  const limits = await withLimits(cli, (all) => all.list());
  const lines = limits.map(({ tenant, workflow = '(all)', activations }) => [tenant, workflow, String(activations)]);
  if (json) cli.terminal.data(JSON.stringify(limits, null, 2));
  else if (limits.length === 0) cli.terminal.say('There are no limits. `millrace limits set` sets one.');
  else cli.terminal.data(columns(['TENANT', 'WORKFLOW', 'ACTIVATIONS'], lines));
}

/** Sets a limit. */
export async function setLimit(cli: Cli, limit: Limit, json: boolean): Promise<void> {
  await withLimits(cli, (all) => all.set(limit));
  if (json) cli.terminal.data(JSON.stringify(limit));
  else cli.terminal.say(`${nameOf(limit)}: ${limit.activations} activations at a time.`);
}

/** Lifts a limit. */
export async function liftLimit(cli: Cli, whose: Omit<Limit, 'activations'>, json: boolean): Promise<void> {
  const lifted = await withLimits(cli, (all) => all.lift(whose));
  if (json) cli.terminal.data(JSON.stringify({ lifted }));
  else cli.terminal.say(`${nameOf(whose)}: ${lifted ? 'the limit is lifted' : 'there was no limit'}.`);
}

const withLimits = <T>(cli: Cli, use: (limits: LimitsResource) => Promise<T>): Promise<T> =>
  withSession(cli, {}, ({ millrace }) => use(millrace.limits));

const nameOf = ({ tenant, workflow }: Omit<Limit, 'activations'>): string =>
  workflow === undefined ? `Tenant ${tenant}` : `Workflow ${workflow} of tenant ${tenant}`;
