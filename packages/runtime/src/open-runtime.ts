import type { RunLimits, Vocabulary } from '@millrace/core';
import { defaultRunLimits } from '@millrace/core';
import { unlimited } from './adapters/bullmq/queue/fair/limits.ts';
import { createInlineQueue } from './adapters/memory/inline-queue.ts';
import { createLocalRates } from './adapters/memory/local-rates.ts';
import { createMemoryBlobs } from './adapters/memory/memory-blobs.ts';
import { noIntake } from './adapters/memory/no-intake.ts';
import { createMemoryStore } from './adapters/memory/store/memory-store.ts';
import type { Report } from './adapters/redis/connection/report.ts';
import { atMostOnceASecond, withoutOutages } from './adapters/redis/connection/report.ts';
import { choresOf } from './chores.ts';
import type { Clock } from './clock/clock.ts';
import { realClock } from './clock/real-clock.ts';
import type { Caretaker } from './maintenance/caretaker.ts';
import { startCaretaker } from './maintenance/caretaker.ts';
import type { OpenLocation, RedisLocation } from './open-redis.ts';
import { openRedis } from './open-redis.ts';
import { createLocalBroadcast } from './ports/broadcast.ts';
import { agendaLease } from './ports/lease.ts';
import { createInstalledModels } from './resources/installed-models.ts';
import { createRuns } from './runs/runs.ts';
import type { Runtime } from './runtime.ts';
import { Instrumentations } from './telemetry/instrumentation.ts';

/** This process only. */
interface LocalLocation {
  readonly local: true;
  /** Replaces the clock of the process. */
  readonly clock?: Clock;
  /** Approximate number of the newest events of a journal without an archived part; default: 10,000. */
  readonly journalWindow?: number;
}

/** Location of runs: a Redis, or this process only. */
export type RuntimeLocation = (RedisLocation | LocalLocation) & {
  /** Limits of what one run may contain; absent parts have their defaults. */
  readonly limits?: Partial<RunLimits>;
};

/** Opens the runtime. Throws RequestError when Redis cannot be reached or may lose runs silently. */
export async function openRuntime(where: RuntimeLocation, vocabulary: Vocabulary, logReport: Report): Promise<Runtime> {
  const report = withoutOutages(atMostOnceASecond(logReport));
  const instrumentation = new Instrumentations();
  const location = 'local' in where ? openLocal(where, report) : await openRedis(where, { report, instrumentation });
  const { parts, broadcast, rates, expectRuns } = location;
  const { store, blobs, queue, shared } = parts;
  const { keep, keepFilesMs }: Partial<RedisLocation> = 'local' in where ? {} : where;
  const runs = createRuns({
    instrumentation,
    store,
    blobs,
    queue,
    vocabulary,
    report,
    broadcast,
    rates,
    limits: { ...defaultRunLimits, ...where.limits },
    journalWindow: where.journalWindow,
    archive: shared?.storage.archive,
    expectRuns,
  });
  const models = createInstalledModels({ store, tables: vocabulary.modelTables, broadcast, report });
  const firstRead = models.read();
  firstRead.catch((error: unknown) => report('the table of models could not be read', error));
  // In an outage, the process starts nevertheless; whoever follows the table reads it afterwards.
  if (shared?.outages.current() === undefined) await firstRead.catch(() => undefined);
  const caretakers = new Set<Caretaker>();
  return {
    ...parts,
    runs,
    models,
    instrumentation,
    startCaretaker({ removes = true } = {}) {
      const lease = shared?.startLease({ name: agendaLease });
      const chores = choresOf({ store, blobs, shared, runs, keep, keepFilesMs, report, lease, removes });
      const caretaker = startCaretaker({
        store,
        queue,
        runs,
        report,
        lease,
        chores,
        ...(shared === undefined && { everyMs: 0 }),
      });
      caretakers.add(caretaker);
      return caretaker;
    },
    async close() {
      models.close();
      await Promise.all([...caretakers].map((caretaker) => caretaker.close()));
      await location.close();
    },
  };
}

/** Opens a runtime whose runs live in this process only and end with it. */
function openLocal({ clock = realClock }: LocalLocation, report: Report): OpenLocation {
  const blobs = createMemoryBlobs();
  const store = createMemoryStore({ blobs, clock });
  const queue = createInlineQueue({ clock, onError: (error) => report('an activation could not be executed', error) });
  const broadcast = createLocalBroadcast();
  return {
    parts: {
      clock,
      store,
      blobs,
      queue,
      limits: unlimited,
      intake: noIntake,
      findings: ['Runs live in this process only: nothing survives it.'],
    },
    broadcast,
    rates: createLocalRates(() => store.now()),
    async close() {
      broadcast.close();
      await queue.close();
      await store.close();
    },
  };
}
