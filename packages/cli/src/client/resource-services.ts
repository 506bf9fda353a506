import type {
  Batch,
  BatchLine,
  BatchOptions,
  BatchRow,
  BulkResource,
  BatchesResource as FarBatches,
  SchedulesResource as FarSchedules,
  RowQuery,
  Schedule,
} from '@millrace/client';
import type { ResourceServices } from '@millrace/orchestrator';
import { installationSecret } from '../config/installation-secret.ts';
import type { Cli } from '../process/cli.ts';
import { localOrRemote } from './local-or-remote.ts';

/** The batches that a command can reach. */
export interface Batches extends Pick<FarBatches, 'get' | 'cancel' | 'retryFailed' | 'remove'> {
  start(
    workflow: WorkflowGiven,
    options: Omit<BatchOptions, 'table'> & { readonly table?: LocalTable },
  ): Promise<Batch>;
  list(): AsyncIterable<BatchLine>;
  rows(id: string, query: RowQuery): AsyncIterable<BatchRow>;
}

/** A published workflow by its name, or the text of one. */
export type WorkflowGiven = string | { readonly yaml: string };

/** A table of this machine. */
export interface LocalTable {
  readonly name: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

/** The schedules that a command can reach. */
export interface Schedules extends Pick<FarSchedules, 'create' | 'get' | 'change' | 'remove' | 'trigger'> {
  list(): AsyncIterable<Schedule>;
}

/** All of them, and a word to people when nobody is there to carry out what they ask. */
export interface CommandServices {
  readonly batches: Batches;
  readonly schedules: Schedules;
  readonly bulk: BulkResource;
  sayWhenIdle(): Promise<void>;
}

/** Lends the batches, schedules and bulk orders of the tenant `default`, or of the key where they are behind an HTTP API. */
export const withResourceServices = (cli: Cli, use: (services: CommandServices) => Promise<void>): Promise<void> =>
  localOrRemote(cli, {
    remote: ({ batches, schedules, bulk }) => use({ batches, schedules, bulk, sayWhenIdle: async () => undefined }),
    async local({ machine }) {
      const { openResourceServices: openDesks } = await import('@millrace/orchestrator');
      const config = await cli.config();
      const { outbound } = config;
      const secret = installationSecret(config);
      const services = openDesks({ ...machine, tenant: 'default', secret, ...(outbound && { allow: outbound }) });
      await use({
        ...near(services),
        async sayWhenIdle() {
          if ((await services.orchestrators()) > 0) return;
          cli.terminal.say('Nobody carries it out yet: `millrace serve`, or `millrace up --port 4700`, does.');
        },
      });
    },
  });

function near({ batches, schedules, bulk }: ResourceServices): Omit<CommandServices, 'sayWhenIdle'> {
  return {
    batches: {
      ...batches,
      start: (workflow, { idempotencyKey: _safe, table, ...options }) => batches.start({ workflow, ...options }, table),
      list: () => through((cursor) => batches.list({ cursor })),
      rows: (id, query) => through((cursor) => batches.rows(id, { ...query, cursor })),
    },
    bulk: { get: bulk.get, give: ({ idempotencyKey: _safe, ...wanted }) => bulk.give(wanted) },
    schedules: { ...schedules, list: () => through((cursor) => schedules.list({ cursor })) },
  };
}

interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

async function* through<T>(page: (cursor: string | undefined) => Promise<Page<T>>): AsyncGenerator<T> {
  for (let cursor: string | undefined; ; ) {
    const { data, nextCursor } = await page(cursor);
    yield* data;
    if (nextCursor === null) return;
    cursor = nextCursor;
  }
}
