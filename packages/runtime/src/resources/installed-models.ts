import type { ModelChange, ModelList, ModelTable, ModelTables } from '@millrace/core';
import { createModelLookup, planModelUpdate, RequestError, UpdatedTables } from '@millrace/core';
import { announceChange, startRefresh } from '../live/refresh.ts';
import type { Broadcast } from '../ports/broadcast.ts';
import type { Store } from '../ports/store/port.ts';

/*
 * The table of models that an installation keeps. An update stores the whole table, with the floor of the next one, in one entry of the
 * registry and announces it; processes that follow it read it then, and every half minute because announcements may be lost. Requests of running
 * activations use the table that their process has when they begin. What was recorded is never computed again.
 */

/** An update of the table, and whether it is only compared. */
export interface ModelUpdateOptions {
  /** Compares, and stores nothing. */
  readonly dryRun?: boolean | undefined;
  /** Accepts models that vanish, prices and limits that fall by more than half, and models that accept less. */
  readonly acceptDrops?: boolean | undefined;
}

/** The table of models of an installation. */
export interface InstalledModels {
  /** Reads the table and uses it in this process. */
  read(): Promise<void>;
  /** Follows changes of the table by other processes until it is closed. */
  follow(): { close(): void };
  /**
   * Stores the facts of a list; returns the difference. Throws RequestError, `MODEL_LIST_DROPS`, if models vanish, prices or limits
   * fall by more than half, or models accept less.
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

  function use(json: string | undefined): UpdatedTables | undefined {
    const stored = json === undefined ? undefined : tablesOf(json, report);
    // A table that cannot be used leaves the one in use: the prices of this version may be much lower.
    if (json !== installed && (json === undefined || stored !== undefined)) {
      tables?.install(stored?.table);
      installed = json;
    }
    return stored;
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
        const json = await registry.read(register, entry);
        const stored = use(json);
        const lookup = (table?: ModelTable) => tables?.listed(table) ?? createModelLookup([]);
        const before = { known: lookup(), floor: lookup(stored?.floor), stored };
        const { changes, ...updated } = planModelUpdate(list, before);
        if (dryRun) return changes;
        if (!acceptDrops) assertNoDrops(changes);
        const after = JSON.stringify(updated);
        if (!(await registry.exchange(register, entry, { before: json, after }))) continue;
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

function tablesOf(json: string, report: InstalledModelsOptions['report']): UpdatedTables | undefined {
  try {
    return UpdatedTables.parse(JSON.parse(json));
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
    .map(({ model, type }) => `${model} ${type === 'vanished' ? 'vanishes' : 'costs or can do much less'}`);
  const more = drops.length > mostNamed ? ` and ${drops.length - mostNamed} more` : '';
  throw new RequestError(
    'MODEL_LIST_DROPS',
    `The list takes away what budgets and requests count with: ${named.join(', ')}${more}. Compare it with what the vendors say, and accept the drops with \`--accept-drops\` (\`acceptDrops\` over HTTP) if they are true.`,
  );
}
