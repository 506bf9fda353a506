import type { ModelChange, ModelList, ModelTables } from '@millrace/core';
import { createModelLookup, ModelTable, planModelUpdate, RequestError } from '@millrace/core';
import { announceChange, startRefresh } from '../live/refresh.ts';
import type { Broadcast } from '../ports/broadcast.ts';
import type { Store } from '../ports/store/port.ts';

/*
 * The table of models that an installation keeps. An update stores the whole table in one entry of the registry and announces
 * it; processes that follow it read it then, and every half minute because announcements may be lost. Requests of running
 * activations use the table that their process has when they begin. What was recorded is never computed again.
 */

/** An update of the table, and whether it is only compared. */
export interface ModelUpdateOptions {
  /** Compares, and stores nothing. */
  readonly dryRun?: boolean | undefined;
  /** Accepts models that vanish and prices that fall by more than half. */
  readonly acceptDrops?: boolean | undefined;
}

/** The table of models of an installation. */
export interface InstalledModels {
  /** Reads the table and uses it in this process. */
  read(): Promise<void>;
  /** Follows changes of the table by other processes until it is closed. */
  follow(): { close(): void };
  /**
   * Stores the facts of a list; returns the difference. Throws RequestError, `MODEL_LIST_DROPS`, if models vanish or prices
   * fall by more than half.
   */
  update(list: ModelList, options: ModelUpdateOptions): Promise<readonly ModelChange[]>;
  close(): void;
}

interface InstalledModelsOptions {
  readonly store: Pick<Store, 'registry' | 'durable'>;
  /** The tables that are kept up to date; absent: nothing uses the stored one. */
  readonly tables: ModelTables | undefined;
  readonly broadcast: Broadcast;
  readonly report: (message: string, error?: unknown) => void;
}

const register = 'models';
const entry = 'table';
const everyMs = 30_000;

/** Returns the table of models of an installation, kept in the registry of its store. */
export function createInstalledModels({ store, tables, broadcast, report }: InstalledModelsOptions): InstalledModels {
  const { registry } = store;
  const followers = new Set<{ close(): void }>();
  let installed: string | undefined;

  function use(json: string | undefined): ModelTable | undefined {
    const table = json === undefined ? undefined : tableOf(json, report);
    // A table that cannot be used leaves the one in use: the prices of this version may be much lower.
    if (json !== installed && (json === undefined || table !== undefined)) {
      tables?.install(table);
      installed = json;
    }
    return table;
  }
  const read = async () => void use(await registry.read(register, entry));

  return {
    read,
    follow() {
      if (!store.durable) return { close: () => undefined };
      const onError = (error: Error) => report('the table of models could not be read', error);
      const refresh = startRefresh({ of: 'models', broadcast, read, onError, intervalMs: everyMs });
      followers.add(refresh);
      return refresh;
    },
    async update(list, { dryRun = false, acceptDrops = false }) {
      for (;;) {
        const before = await registry.read(register, entry);
        const stored = use(before);
        const known = tables?.listed() ?? createModelLookup([]);
        const { table, changes } = planModelUpdate(list, { known, stored });
        if (dryRun) return changes;
        if (!acceptDrops) assertNoDrops(changes);
        const after = JSON.stringify(table);
        if (!(await registry.exchange(register, entry, { before, after }))) continue;
        use(after);
        announceChange(broadcast, 'models');
        return changes;
      }
    },
    close() {
      for (const follower of followers) follower.close();
    },
  };
}

function tableOf(json: string, report: InstalledModelsOptions['report']): ModelTable | undefined {
  try {
    return ModelTable.parse(JSON.parse(json));
  } catch (error) {
    report(
      'the stored table of models is not usable, so the one before stays; `millrace models update` replaces it',
      error,
    );
    return undefined;
  }
}

const mostNamed = 10;

function assertNoDrops(changes: readonly ModelChange[]): void {
  const drops = changes.filter(({ isDrop }) => isDrop);
  if (drops.length === 0) return;
  const named = drops
    .slice(0, mostNamed)
    .map(({ model, type }) => `${model} ${type === 'vanished' ? 'vanishes' : 'costs less than half'}`);
  const more = drops.length > mostNamed ? ` and ${drops.length - mostNamed} more` : '';
  throw new RequestError(
    'MODEL_LIST_DROPS',
    `The list takes away what budgets count with: ${named.join(', ')}${more}. Compare it with the prices of the vendors, and accept the drops with \`--accept-drops\` (\`acceptDrops\` over HTTP) if they are true.`,
  );
}
