import { randomBytes } from 'node:crypto';
import type { BatchRowRef, TenantId } from '@millrace/core';
import { RequestError } from '@millrace/core';
import { storageFull } from '../blobs/run-contents.ts';
import type { BatchLine, BatchRows } from '../ports/store/batch-rows.ts';
import type { Store } from '../ports/store/port.ts';
import type { BytesOwner } from '../ports/store/stored-bytes.ts';
import { tenantEntries } from './tenant-entries.ts';

/** Many runs of one workflow, one for each row of a table. Times are milliseconds since 1970. */
export interface Batch {
  readonly id: string;
  /** Identifies this batch among others that had, or will have, the same id. */
  readonly making: string;
  /** Request that starts each run, as its author wrote it, without the values of the row. */
  readonly run: unknown;
  /** Maximum number of rows in progress. */
  readonly parallel: number;
  /** Rows, those that are invalid included. */
  readonly total: number;
  readonly createdAt: number;
  readonly cancelledAt?: number;
  /** Time at which the last row was done; absent while some are not. */
  readonly finishedAt?: number;
}

/** Store of batches. */
type BatchStore = Pick<Store, 'registry' | 'rows' | 'stored' | 'now'>;

/** Names that locate the rows of a batch. */
export type BatchInstance = Pick<Batch, 'id' | 'making'>;

/** The batches of a tenant. */
export interface Batches {
  /**
   * Stores a batch, its rows first; undefined when one with its id exists, which stays as it is. Throws RequestError,
   * STORAGE_FULL, when the tenant has no room for its rows.
   */
  create(batch: Omit<Batch, 'making' | 'createdAt'>, rows: readonly BatchLine[]): Promise<Batch | undefined>;
  /** Undefined when there is none. */
  read(id: string): Promise<Batch | undefined>;
  /** Throws RequestError when there is none. */
  find(id: string): Promise<Batch>;
  /** Newest first when ids are the server's, from behind `after` on (`''`: from the start). */
  list(after: string, limit: number): Promise<readonly Batch[]>;
  /**
   * Updates a batch to the result of `next`; nothing changes when that is undefined. Throws RequestError when there is
   * none.
   */
  change(id: string, next: (batch: Batch) => Batch | undefined): Promise<Batch>;
  /**
   * Deletes its rows and the batch; its runs stay. Throws RequestError when there is none, or some of its rows are not
   * done.
   */
  remove(id: string): Promise<Batch>;
  readonly rows: BatchRows<BatchInstance>;
}

/**
 * Notes that the run of a row is removed before the row has recorded its end, so that it is not taken for a run that the
 * store has lost, which is started again.
 */
export async function noteRemovalOfRow(
  { rows }: Pick<BatchStore, 'rows'>,
  tenant: TenantId,
  { batch: id, making, row }: BatchRowRef,
): Promise<void> {
  const name = nameOf(tenant, { id, making });
  for (;;) {
    const [line] = await rows.read(name, [row]);
    if (line?.status !== 'running' || line.note === undefined) return;
    const note = JSON.stringify({ ...JSON.parse(line.note), removed: true });
    if (await rows.move(name, { row, from: ['running'], to: 'running', note, before: line.note })) return;
  }
}

/**
 * The batches of all tenants with open rows, so that a new process can read them. Each gets its entry before anything
 * else is stored of it, so every stored part belongs to a named batch.
 */
export const openRegister = 'open-batches';

/** The register of a tenant's batches. */
export const batchRegister = (tenant: TenantId): string => `batches/${tenant}`;

/** Time after which the parts of an unfinished creation of a batch count as left over. */
export const makingMs = 60 * 60_000;

interface OpenEntry {
  /** Time at which it was opened, in milliseconds since 1970. */
  readonly since?: number;
}

/**
 * Returns the name of a batch among those of all tenants: two that are made concurrently under one id have separate
 * rows.
 */
export const nameOf = (tenant: TenantId, { id, making }: BatchInstance): string => `${tenant}~${id}~${making}`;

/** Returns the name under which the table of a batch owns bytes. */
export const ownerOfBatch = ({ id, making }: BatchInstance): BytesOwner => `batch/${id}~${making}`;

/** Batches in the registry of a store, of a tenant that may store `most` bytes; only those that create batches need it. */
export function createBatches(store: BatchStore, tenant: TenantId, most = Number.POSITIVE_INFINITY): Batches {
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
      const bytes = lines.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0);
      await list(store, name);
      if (!(await store.stored.set(tenant, ownerOfBatch(batch), { bytes, most }))) {
        await registry.remove(openRegister, name);
        throw new RequestError('STORAGE_FULL', storageFull(most, 'for this table'));
      }
      await rows.put(name, lines);
      if (await registry.add(register, batch.id, JSON.stringify(batch))) return batch;
      await removeRows(store, tenant, batch);
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
        throw new RequestError('BATCH_UNFINISHED', `The batch ${id} has unfinished rows. Cancel it first.`);
      // It is the last to go: as long as there is one, it can be removed again.
      await removeRows(store, tenant, batch);
      await unlist(store, nameOf(tenant, batch), () => read(id));
      // A batch that was created again meanwhile stays.
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
    usage: (batch) => rows.usage(named(batch)),
    startable: (batch, parallel) => rows.startable(named(batch), parallel),
    remove: (batch) => rows.remove(named(batch)),
  };
}

/**
 * The batches of all tenants, or of one, with open rows. Removes the remains of processes that died while they created a
 * batch.
 */
export async function* openBatches(
  store: BatchStore,
  only?: TenantId,
): AsyncGenerator<{ readonly tenant: TenantId; readonly id: string }> {
  for await (const { id: name, json } of tenantEntries(store.registry, openRegister, only)) {
    const [tenant = '', id = '', making] = name.split('~');
    const { read } = createBatches(store, tenant);
    const batch = await read(id);
    if (batch === undefined || batch.making !== making)
      await removeLeft(store, name, JSON.parse(json) as OpenEntry); // written by `list`
    else if (batch.finishedAt === undefined || (await store.rows.counts(name)).waiting > 0) yield { tenant, id };
    else await unlist(store, name, () => read(id));
  }
}

const list = ({ registry, now }: BatchStore, name: string): Promise<void> =>
  registry.write(openRegister, name, JSON.stringify({ since: now() } satisfies OpenEntry));

/** Removes a batch from the list, unless another process has opened it again meanwhile. */
async function unlist(store: BatchStore, name: string, read: () => Promise<Batch | undefined>): Promise<void> {
  await store.registry.remove(openRegister, name);
  const batch = await read();
  if (batch !== undefined && batch.finishedAt === undefined) await list(store, name);
}

async function removeLeft(store: BatchStore, name: string, { since = 0 }: OpenEntry): Promise<void> {
  if (since + makingMs > store.now()) return;
  const [tenant = '', id = '', making = ''] = name.split('~');
  await removeRows(store, tenant, { id, making });
  await store.registry.remove(openRegister, name);
}

/** Removes the rows of a batch, and takes their bytes back. */
async function removeRows({ rows, stored }: BatchStore, tenant: TenantId, batch: BatchInstance): Promise<void> {
  await rows.remove(nameOf(tenant, batch));
  await stored.set(tenant, ownerOfBatch(batch), { bytes: 0, most: 0 });
}

const parsed = (json: string): Batch => JSON.parse(json) as Batch; // written above
