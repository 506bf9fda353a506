import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Metrics, MetricsAddress } from '@millrace/runtime';
import type { Logger } from 'pino';
import type { LocalSession } from '../client/session.ts';
import { ownWorkerName } from '../client/worker-name.ts';
import { installationSecret } from '../config/installation-secret.ts';
import type { Config } from '../config/settings.ts';
import type { TokenConfig } from '../config/token-config.ts';
import { readCompanion } from '../workflow/load-workflow.ts';
import { builtPages, hasDashboard } from './built-pages.ts';
import { writeServedAddress } from './served-address.ts';

/** Address of the HTTP API. */
export interface ApiAddress {
  /** `from`: this port, or the next one that is free. */
  readonly port: number | { readonly from: number };
  /** Absent: 127.0.0.1. */
  readonly host?: string;
  /** Serves metrics on a port of their own as well. */
  readonly metrics?: MetricsAddress;
  /** Serves the dashboard as well; default true. */
  readonly ui?: boolean;
}

/** Throws RequestError if this process cannot listen at its addresses: it learns that before it starts a Redis. */
export async function assertAddresses(api: ApiAddress | undefined, metrics: MetricsAddress | undefined): Promise<void> {
  const { assertListenable } = await import('@millrace/runtime');
  if (metrics !== undefined) await assertListenable(metrics);
  if (api === undefined) return;
  const { port, host } = api;
  await assertListenable(omitUndefined({ port: typeof port === 'number' ? port : 0, host }));
}

/** Serves the HTTP API in this process, and prints its address, which it returns. */
export async function embedApi(
  session: LocalSession,
  { metrics: own, ui = true, ...address }: ApiAddress,
  log: Logger,
): Promise<string> {
  const { cli, machine, tracing } = session;
  const config = await cli.config();
  const { httpLimits, tokens } = config;
  const { startOrchestrator } = await import('@millrace/orchestrator');
  const metrics = await embedMetrics(session, omitUndefined({ scope: 'installation', address: own }));
  const orchestrator = await startOrchestrator({
    ...machine,
    log,
    httpLimits,
    secret: installationSecret(config),
    webhooks: webhookSettings(config),
    metrics,
    ...omitUndefined({ tracing }),
    ...(tokens === undefined ? {} : { trust: withKeys(tokens) }),
    ...(ui ? { ui: { root: builtPages() } } : {}),
    reference: { root: builtPages('reference') },
    ...address,
  });
  session.defer(() => orchestrator.close());
  if (ui) session.defer(await writeServedAddress(config.directory, orchestrator.url));
  cli.terminal.say(dashboardText(orchestrator.url, ui));
  const reference = hasDashboard() ? `${orchestrator.url}/docs` : `${orchestrator.url}/openapi.json`;
  cli.terminal.say(`The HTTP API is at ${orchestrator.url} (described by ${reference}).`);
  const warning = session.storage === 'memory' ? open : warnings[orchestrator.admits];
  if (warning !== '') cli.terminal.say(warning, 'yellow');
  return orchestrator.url;
}

function dashboardText(url: string, ui: boolean): string {
  if (!ui) return 'The dashboard is not served (--no-ui).';
  if (!hasDashboard())
    return 'The dashboard is not built in this clone: stop with Ctrl-C, and `npm run setup` builds it.';
  return `The dashboard is at ${url}/ui/.`;
}

const webhookSettings = ({ outbound, webhookRestMs }: Config) =>
  omitUndefined({ allow: outbound, delayMs: webhookRestMs });

const withKeys = ({ keys, ...trust }: TokenConfig) => ({
  ...trust,
  keys: 'url' in keys ? keys : { text: readCompanion(keys.file) },
});

const open = '! It requires no key: every program on this machine can start runs, which can start programs.';

const warnings = {
  anybody: `${open} After \`millrace keys create\` it requires keys.`,
  nobody:
    '! Other machines can reach it, so it requires a key, and there is none yet. `millrace keys create` creates one.',
  keys: '',
} as const;

/** Scope and address of metrics. */
export interface MetricsOptions {
  /** A separate port; absent: only the HTTP API serves the metrics. */
  readonly address?: MetricsAddress;
  /** Includes the installation as a whole: one process in it is enough. */
  readonly scope: 'process' | 'installation';
}

/** Time within which Redis answers a check, in milliseconds. */
const checkTimeoutMs = 1000;

/** Starts the metrics of this process, and prints their address. */
export async function embedMetrics(session: LocalSession, { address, scope }: MetricsOptions): Promise<Metrics> {
  const { cli, machine } = session;
  const { instrumentation, shared } = machine.runtime;
  const { createMetrics, serveMetrics } = await import('@millrace/runtime');
  const metrics = await createMetrics(scope === 'installation' ? shared?.admin : undefined, shared?.outageSeconds);
  instrumentation.add(metrics.instrumentation);
  if (address === undefined) return metrics;
  const check = async () => shared?.outages.check(checkTimeoutMs);
  const server = await serveMetrics({ metrics, check }, address);
  session.defer(() => server.close());
  cli.terminal.say(`Metrics are at ${server.url}.`);
  return metrics;
}

/** Starts runs from the intake queue in this process. */
export async function embedIntake({ cli, machine, defer }: LocalSession, log: Logger): Promise<void> {
  const { startIntake } = await import('@millrace/orchestrator/intake');
  const config = await cli.config();
  const { outbound } = config;
  const intake = startIntake({
    ...machine,
    name: ownWorkerName,
    log,
    ...omitUndefined({ outbound }),
  });
  defer(() => intake.close());
}
