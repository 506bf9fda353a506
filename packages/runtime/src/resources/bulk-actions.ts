import type { RunId, RunStatus, TenantId } from '@millrace/core';
import { RequestError } from '@millrace/core';
import type { RunCursor, RunQuery, Store } from '../ports/store/port.ts';

/** One operation on all runs of a list. Times are milliseconds since 1970. */
export interface BulkAction {
  readonly id: string;
  readonly action: 'cancel' | 'retry';
  /** Reason, for a cancellation. */
  readonly reason?: string | undefined;
  readonly filter: Pick<RunQuery, 'workflow' | 'tag' | 'since' | 'until'> & { readonly status?: RunStatus };
  /** The runs that are meant, instead of those that match the filter. */
  readonly ids?: readonly RunId[];
  readonly createdAt: number;
  /** Absent while it is in progress. */
  readonly finishedAt?: number;
  /** Number of runs that the operation was applied to. */
  readonly done: number;
  /** Number of runs that have refused it. */
  readonly left: number;
  /** Last run that was processed. */
  readonly after?: RunCursor;
  /** Number of the named runs that were processed. */
  readonly processed?: number;
  /** Number of runs that it was given for; absent when there were more than could be counted. */
  readonly total?: number;
}

/** Bulk actions of a tenant. Each is kept for a week after its last change. */
export interface BulkActions {
  /** Stores it, unless one with its id exists; returns the stored one. */
  open(bulk: BulkAction): Promise<BulkAction>;
  /** Throws RequestError when there is none. */
  find(id: string): Promise<BulkAction>;
  /** Newest first, from behind `after` on (`''`: from the start); expired ones are left out, so that a page may be short. */
  list(after: string, limit: number): Promise<{ readonly bulkActions: readonly BulkAction[]; readonly next?: string }>;
  /** Stores its progress. */
  note(bulk: BulkAction): Promise<void>;
}

/** Number of bulk actions that the list of a tenant keeps. */
const listed = 1000;
const keptForMs = 7 * 24 * 60 * 60 * 1000;

/** Bulk actions in the registry of a store. */
export function createBulkActions({ registry }: Pick<Store, 'registry'>, tenant: TenantId): BulkActions {
  const nameOf = (id: string): string => `bulk/${tenant}/${id}`;
  const register = `bulk/${tenant}`;
  return {
    async open(bulk) {
      await registry.add(register, bulk.id, '{}');
      await registry.trim(register, listed);
      const there = await registry.hold(nameOf(bulk.id), JSON.stringify(bulk), keptForMs);
      return there === undefined ? bulk : parsed(there);
    },
    async find(id) {
      const [text] = await registry.held([nameOf(id)]);
      if (text === undefined) throw new RequestError('BULK_UNKNOWN', `There is no bulk action ${id}.`);
      return parsed(text);
    },
    async list(after, limit) {
      const ids = (await registry.page(register, after, limit + 1)).map(({ id }) => id);
      const page = ids.slice(0, limit);
      const texts = await registry.held(page.map(nameOf));
      const bulkActions = texts.flatMap((text) => (text === undefined ? [] : [parsed(text)]));
      const last = page.at(-1);
      return { bulkActions, ...(ids.length > limit && last !== undefined ? { next: last } : {}) };
    },
    note: (bulk) => registry.replace(nameOf(bulk.id), JSON.stringify(bulk), keptForMs),
  };
}

const parsed = (text: string): BulkAction => JSON.parse(text) as BulkAction; // written above
