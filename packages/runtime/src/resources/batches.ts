import { randomBytes } from 'node:crypto';
import type { TenantId } from '@millrace/core';
import { RequestError } from '@millrace/core';
import type { BatchLine, BatchRows } from '../store/batch-rows.ts';
import type { Store } from '../store/port.ts';

/** Many runs of one workflow, one for each row of a table. Times are milliseconds since 1970. */
export interface Batch {
  readonly id: string;
  /** Tells it from others of this id, before it and after. */
  readonly making: string;
  /** What starts each run, as its author wrote it, but for what the row says. */
  readonly run: unknown;
  /** Rows at work at a time. */
  readonly parallel: number;
  /** Rows, those that are invalid included. */
  readonly total: number;
  readonly createdAt: number;
  readonly cancelledAt?: number;
  /** Time at which the last row was done; absent while some are not. */
  readonly finishedAt?: number;
}

/** Store of batches. */
type BatchStore = Pick<Store, 'registry' | 'rows' | 'now'>;

/** What it takes to find the rows of a batch. */
export type BatchInstance = Pick<Batch, 'id' | 'making'>;

/** The batches of a tenant. */
export interface Batches {
  /** Writes it, its rows first; undefined when there is one of its id, which stays as it is. */
  create(batch: Omit<Batch, 'making' | 'createdAt'>, rows: readonly BatchLine[]): Promise<Batch | undefined>;
  /** Undefined when there is none. */
  read(id: string): Promise<Batch | undefined>;
  /** Throws RequestError when there is none. */
  find(id: string): Promise<Batch>;
  /** Newest first when ids are the server's, from behind `after` on (`''`: from the start). */
  list(after: string, limit: number): Promise<readonly Batch[]>;
  /** Makes of it what `next` says; nothing changes when that is undefined. Throws RequestError when there is none. */
  change(id: string, next: (batch: Batch) => Batch | undefined): Promise<Batch>;
  /** Forgets its rows and it; its runs stay. Throws RequestError when there is none, or rows of it are to be done. */
  remove(id: string): Promise<Batch>;
  readonly rows: BatchRows<BatchInstance>;
}

/**
 * The batches of all tenants that have rows to be done, so that whoever starts can look through them. Each has its entry
 * before it has anything else, so that nothing is ever left of it that no entry names.
 */
export const openRegister = 'open-batches';

/** The register of a tenant's batches. */
export const batchRegister = (tenant: TenantId): string => `batches/${tenant}`;

/** How long making a batch may take before what there is of it counts as left over. */
export const makingMs = 60 * 60_000;

interface OpenEntry {
  /** When it was opened, in milliseconds since 1970. */
  readonly since?: number;
}

/** The name of a batch among those of all tenants: of two that are made at once under one id, each has rows of its own. */
export const nameOf = (tenant: TenantId, { id, making }: BatchInstance): string => `${tenant}~${id}~${making}`;

/** Batches in the registry of a store. */
export function createBatches(store: BatchStore, tenant: TenantId): Batches {
  const { registry, rows, now } = store;
  const register = batchRegister(tenant);
  const text = async (id: string): Promise<string> => {
    const json = await registry.read(register, id);
    if (json === undefined) throw new RequestError('BATCH_UNKNOWN', `There is no batch ${id}.`);
    return json;
  };
  const read = async (id: string): Promise<Batch | undefined> => {
    const json = await registry.read(register, id);
    return json === undefined ? undefined : parsed(json);
  };
  return {
    read,
    find: async (id) => parsed(await text(id)),
    async create(wanted, lines) {
      if ((await read(wanted.id)) !== undefined) return undefined;
      const batch: Batch = { ...wanted, making: randomBytes(6).toString('hex'), createdAt: now() };
      const name = nameOf(tenant, batch);
      await list(store, name);
      await rows.put(name, lines);
      if (await registry.add(register, batch.id, JSON.stringify(batch))) return batch;
      await rows.remove(name);
      await registry.remove(openRegister, name);
      return undefined;
    },
    list: async (after, limit) => (await registry.page(register, after, limit)).map(({ json }) => parsed(json)),
    async change(id, next) {
      for (;;) {
        const before = await text(id);
        const batch = parsed(before);
        const changed = next(batch);
        if (changed === undefined) return batch;
        if (changed.finishedAt === undefined) await list(store, nameOf(tenant, changed));
        if (!(await registry.exchange(register, id, { before, after: JSON.stringify(changed) }))) continue;
        if (changed.finishedAt !== undefined) await unlist(store, nameOf(tenant, changed), () => read(id));
        return changed;
      }
    },
    async remove(id) {
      const before = await text(id);
      const batch = parsed(before);
      if (batch.finishedAt === undefined)
        throw new RequestError('BATCH_UNFINISHED', `The batch ${id} has rows to be done; cancel it first.`);
      // It is the last to go: as long as there is one, it can be removed again.
      await rows.remove(nameOf(tenant, batch));
      await unlist(store, nameOf(tenant, batch), () => read(id));
      // One that was made anew meanwhile stays.
      await registry.exchange(register, id, { before, after: undefined });
      return batch;
    },
    rows: rowsWithin(rows, (batch) => nameOf(tenant, batch)),
  };
}

/** The same rows by other names of their batches. */
function rowsWithin(rows: BatchRows, named: (batch: BatchInstance) => string): BatchRows<BatchInstance> {
  return {
    put: (batch, lines) => rows.put(named(batch), lines),
    read: (batch, wanted) => rows.read(named(batch), wanted),
    move: (batch, move) => rows.move(named(batch), move),
    page: (batch, status, page) => rows.page(named(batch), status, page),
    counts: (batch) => rows.counts(named(batch)),
    startable: (batch, parallel) => rows.startable(named(batch), parallel),
    remove: (batch) => rows.remove(named(batch)),
  };
}

const atOnce = 200;

/** The batches of all tenants that have rows to be done. What those who died have left of others is removed. */
export async function* openBatches(
  store: BatchStore,
): AsyncGenerator<{ readonly tenant: TenantId; readonly id: string }> {
  for (let after = ''; ; ) {
    const entries = await store.registry.page(openRegister, after, atOnce);
    for (const { id: name, json } of entries) {
      const [tenant = '', id = '', making] = name.split('~');
      const { read } = createBatches(store, tenant);
      const batch = await read(id);
      if (batch === undefined || batch.making !== making)
        await removeLeft(store, name, JSON.parse(json) as OpenEntry); // written by `list`
      else if (batch.finishedAt === undefined || (await store.rows.counts(name)).waiting > 0) yield { tenant, id };
      else await unlist(store, name, () => read(id));
    }
    after = entries.at(-1)?.id ?? '';
    if (entries.length < atOnce) return;
  }
}

const list = ({ registry, now }: BatchStore, name: string): Promise<void> =>
  registry.write(openRegister, name, JSON.stringify({ since: now() } satisfies OpenEntry));

/** One that somebody has opened again meanwhile stays listed. */
async function unlist(store: BatchStore, name: string, read: () => Promise<Batch | undefined>): Promise<void> {
  await store.registry.remove(openRegister, name);
  const batch = await read();
  if (batch !== undefined && batch.finishedAt === undefined) await list(store, name);
}

async function removeLeft({ registry, rows, now }: BatchStore, name: string, { since = 0 }: OpenEntry): Promise<void> {
  if (since + makingMs > now()) return;
  await rows.remove(name);
  await registry.remove(openRegister, name);
}

const parsed = (json: string): Batch => JSON.parse(json) as Batch; // written above
