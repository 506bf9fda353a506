import type { Me, Pages } from '@millrace/client';
import type { LucideIcon } from 'lucide-react';
import { Clock, Gauge, Inbox, KeyRound, ListChecks, Table2, Webhook } from 'lucide-react';
import { millrace } from '../../api/millrace.ts';
import { rowHash } from '../../kit/tables/use-target-row.ts';
import { bulkLabels } from '../../runs/bulk/bulk-actions.ts';

/** Row of a list that the palette finds. */
export interface FoundRow {
  readonly id: string;
  /** Kind and name, as in `Schedule nightly`. */
  readonly title: string;
  readonly hint?: string | undefined;
  /** Screen of the row, or of its list with the row marked; a path below `/ui`. */
  readonly at: string;
}

/** Maximum number of rows of a list that the palette searches. */
const searched = 1_000;

async function firstOf<Row>(rows: Pages<Row>): Promise<readonly Row[]> {
  const found: Row[] = [];
  for await (const row of rows) {
    found.push(row);
    if (found.length === searched) break;
  }
  return found;
}

/** List whose rows the palette finds. */
export interface RowSource {
  readonly name: string;
  readonly icon: LucideIcon;
  /** Returns whether a caller may read the list. */
  readonly isFor?: (caller: Me) => boolean;
  load(): Promise<readonly FoundRow[]>;
}

const isAdmin = ({ scopes }: Me): boolean => scopes.includes('admin');
const isOperator = ({ operator }: Me): boolean => operator;

const part = encodeURIComponent;

/** Lists whose rows the palette finds, except runs and workflows. */
export const rowSources: readonly RowSource[] = [
  {
    name: 'tasks',
    icon: Inbox,
    load: async () =>
      (await firstOf(millrace.tasks.list({ limit: 200 }))).map(({ id, node, title }) => ({
        id,
        title: `Question ${node} of ${title ?? id}`,
        hint: id,
        at: `/inbox/${part(id)}`,
      })),
  },
  {
    name: 'schedules',
    icon: Clock,
    load: async () =>
      (await firstOf(millrace.schedules.list({ limit: 200 }))).map(({ id, description, sentence }) => ({
        id,
        title: `Schedule ${id}`,
        hint: description ?? sentence,
        at: `/schedules/${part(id)}`,
      })),
  },
  {
    name: 'batches',
    icon: Table2,
    load: async () =>
      (await firstOf(millrace.batches.list({ limit: 200 }))).map(({ id, status, workflow }) => ({
        id,
        title: `Batch ${id}`,
        hint: `${status} · ${workflow}`,
        at: `/batches/${part(id)}`,
      })),
  },
  {
    name: 'bulk actions',
    icon: ListChecks,
    load: async () =>
      (await firstOf(millrace.bulk.list())).map(({ id, action, status }) => ({
        id,
        title: `Bulk action ${bulkLabels[action].verb}`,
        hint: `${status} · ${id}`,
        at: `/bulk/${part(id)}`,
      })),
  },
  {
    name: 'webhooks',
    icon: Webhook,
    load: async () =>
      (await millrace.webhooks.list()).map(({ id, url, description }) => ({
        id,
        title: `Webhook ${description ?? url}`,
        hint: description === undefined ? id : url,
        at: `/webhooks/${part(id)}`,
      })),
  },
  {
    name: 'keys',
    icon: KeyRound,
    isFor: isAdmin,
    load: async () =>
      (await firstOf(millrace.keys.list({ limit: 200 }))).map(({ id, name }) => ({
        id,
        title: `Key ${name ?? id}`,
        hint: id,
        at: `/settings/keys${rowHash(id)}`,
      })),
  },
  {
    name: 'queues and workers',
    icon: Gauge,
    isFor: isOperator,
    load: async () => {
      const [{ queues }, workers] = await Promise.all([millrace.operations.read(), millrace.operations.workers()]);
      const names = [...new Set(workers.map(({ name }) => name))];
      return [
        ...queues.map(({ name, paused }) => ({
          id: `queue ${name}`,
          title: `Queue ${name}`,
          hint: paused ? 'paused' : undefined,
          at: `/operations/queues${rowHash(name)}`,
        })),
        ...names.map((name) => ({
          id: `worker ${name}`,
          title: `Worker ${name}`,
          at: `/operations/workers${rowHash(name)}`,
        })),
      ];
    },
  },
  {
    name: 'refused jobs',
    icon: Gauge,
    isFor: isOperator,
    load: async () =>
      (await firstOf(millrace.intake.refused())).map(({ id, reason }) => ({
        id: `job ${id}`,
        title: `Refused job ${id}`,
        hint: reason,
        at: `/operations/refused${rowHash(id)}`,
      })),
  },
  {
    name: 'limits',
    icon: Gauge,
    isFor: isOperator,
    load: async () =>
      (await millrace.limits.list()).map(({ tenant, workflow, activations }) => {
        const name = workflow === undefined ? `tenant ${tenant}` : `workflow ${workflow} of tenant ${tenant}`;
        return {
          id: `limit ${name}`,
          title: `Limit of ${name}`,
          hint: `${activations} at a time`,
          at: `/operations/limits${rowHash(name)}`,
        };
      }),
  },
];
