import type { TenantId, Wake } from '@millrace/core';
import { defaultQueue, tenantOf } from '@millrace/core';
import { withTimeout } from '../../../../concurrency/with-timeout.ts';
import { refusedBy, unreachable } from '../../../redis/outages/outage.ts';
import type { AdmissionRequest, AdmissionScript, SlotChange } from './admission-script.ts';
import type { TenantLimits } from './limits.ts';

/** Options of {@link createSlotReporter}. */
export interface SlotReporterOptions {
  readonly script: AdmissionScript;
  /** Called with the replies of the admission script. */
  readonly limits: TenantLimits;
  /** Puts wakes into their queues. */
  readonly admit: (wakes: readonly Wake[]) => Promise<void>;
  readonly onError: (error: Error) => void;
}

/** Reports changes of slots in this process to the admission script, and queues the wakes that it admits. */
export interface SlotReporter {
  /** Adds to the number of slots of a wake's run in its queue; reported in a moment, with other changes. */
  change(wake: Wake, by: number): void;
  /**
   * Adds wakes to lanes, together with those of all other requests in this turn of the event loop; those that are admitted go
   * into their queues. Never throws.
   */
  requestAdmission(wakes: readonly Wake[]): Promise<void>;
  /** Queues the wakes of a tenant that are admitted. */
  recheck(tenant: TenantId): Promise<void>;
  /** Reports the remaining changes, if Redis is reachable. */
  close(): Promise<void>;
}

/** Maximum number of wakes in one report. */
const chunk = 256;
/**
 * Time for which changes of slots are collected before they are reported, in milliseconds: a run that ends meanwhile has
 * changed nothing.
 */
const gatherMs = 25;
/** Number of changed runs and queues from which on they are reported in a moment, so that others do not wait behind a burst. */
const burst = 16;
const burstMs = 1;
/** Longest delay that an outage of Redis causes to the end of a process, in milliseconds. */
const closeTimeoutMs = 1000;

/** Creates the reporter of this process. */
export function createSlotReporter({ script, limits, admit, onError }: SlotReporterOptions): SlotReporter {
  const changes = new SlotChanges();
  const pending = new Set<Promise<void>>();
  // Workers take wakes without a report.
  const recheckTimer = new RecheckTimer((tenant) => void tracked([recheck(tenant)]));
  let timer: NodeJS.Timeout | undefined;
  let isBurst = false;
  let closed = false;

  async function ask(request: AdmissionRequest): Promise<void> {
    const { tenant } = request;
    const { within, waiting, admitted } = await script.ask(request);
    limits.learn(tenant, { within });
    if (waiting) recheckTimer.schedule(tenant);
    if (admitted.length > 0) await admit(admitted);
  }

  const recheck = (tenant: TenantId): Promise<void> => ask({ tenant, changes: changes.take(tenant), wakes: [] });

  /** Resolves when all requests have ended; their errors are reported. */
  function tracked(asked: readonly Promise<void>[]): Promise<void> {
    const done = Promise.all(asked.map((one) => one.catch(onError))).then(() => undefined);
    pending.add(done);
    return done.finally(() => pending.delete(done));
  }

  const report = (tenant: TenantId, wakes: readonly Wake[]): Promise<void> =>
    tracked(requestsOf(tenant, changes.take(tenant), wakes).map(ask));

  let gathered: GatheredWakes | undefined;
  const requestGathered = async (wakes: readonly Wake[]): Promise<void> => {
    gathered = undefined;
    await Promise.all([...byTenant(wakes)].map(([tenant, ofTenant]) => report(tenant, ofTenant)));
  };

  const reportChanges = (): void => {
    clearTimeout(timer);
    timer = undefined;
    isBurst = false;
    for (const tenant of changes.tenants()) void report(tenant, []);
  };

  return {
    change(wake, by) {
      if (closed) return;
      changes.note(wake, by);
      if (changes.count >= burst && !isBurst) {
        isBurst = true;
        clearTimeout(timer);
        timer = setTimeout(reportChanges, burstMs);
      } else timer ??= setTimeout(reportChanges, gatherMs);
    },
    requestAdmission(wakes) {
      gathered ??= new GatheredWakes(requestGathered);
      return gathered.add(wakes);
    },
    recheck,
    async close() {
      reportChanges();
      closed = true;
      recheckTimer.close();
      await withTimeout(Promise.all([...pending, gathered?.add([])]), closeTimeoutMs, () =>
        refusedBy(unreachable),
      ).catch(() => undefined);
    },
  };
}

/** Splits changes into reports; none where nothing has changed. */
function requestsOf(
  tenant: TenantId,
  changes: AdmissionRequest['changes'],
  wakes: readonly Wake[],
): readonly AdmissionRequest[] {
  if (wakes.length === 0) return changes.length === 0 ? [] : [{ tenant, changes, wakes }];
  const requests: AdmissionRequest[] = [];
  for (let from = 0; from < wakes.length; from += chunk)
    requests.push({ tenant, changes: from === 0 ? changes : [], wakes: wakes.slice(from, from + chunk) });
  return requests;
}

function byTenant(wakes: readonly Wake[]): ReadonlyMap<TenantId, Wake[]> {
  const tenants = new Map<TenantId, Wake[]>();
  for (const wake of wakes) {
    const tenant = tenantOf(wake.run);
    const ofTenant = tenants.get(tenant);
    if (ofTenant === undefined) tenants.set(tenant, [wake]);
    else ofTenant.push(wake);
  }
  return tenants;
}

/**
 * Wakes whose admission is requested in one turn of the event loop, and the request for all of them: one for each wake takes
 * twice as many commands.
 */
class GatheredWakes {
  readonly #wakes: Wake[] = [];
  readonly #answered: Promise<void>;

  /** Calls `request` with all wakes that are added, before the next turn. */
  constructor(request: (wakes: readonly Wake[]) => Promise<void>) {
    this.#answered = new Promise((resolve) => {
      process.nextTick(() => resolve(request(this.#wakes)));
    });
  }

  /** Adds wakes; resolves when the request has been answered. */
  add(wakes: readonly Wake[]): Promise<void> {
    for (const wake of wakes) this.#wakes.push(wake);
    return this.#answered;
  }
}

/** Longest time for which idle workers are left without work while wakes wait in lanes, in milliseconds. */
const lookMs = 100;

/** Checks tenants again after a short while: once, however often it is requested meanwhile. */
class RecheckTimer {
  readonly #look: (tenant: TenantId) => void;
  readonly #timers = new Map<TenantId, NodeJS.Timeout>();
  #closed = false;

  constructor(look: (tenant: TenantId) => void) {
    this.#look = look;
  }

  schedule(tenant: TenantId): void {
    if (this.#closed || this.#timers.has(tenant)) return;
    const look = () => {
      this.#timers.delete(tenant);
      this.#look(tenant);
    };
    this.#timers.set(tenant, setTimeout(look, lookMs));
  }

  /** Stops the checks. */
  close(): void {
    this.#closed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }
}

/** Changes of slots that are not reported yet. A slot that was taken and released meanwhile is no change. */
class SlotChanges {
  readonly #tenants = new Map<TenantId, Map<string, SlotChange>>();
  #count = 0;

  /** Number of runs in queues that have changed. */
  get count(): number {
    return this.#count;
  }

  note({ run, queue = defaultQueue }: Wake, by: number): void {
    const tenant = tenantOf(run);
    const kinds = this.#tenants.get(tenant) ?? new Map<string, SlotChange>();
    this.#tenants.set(tenant, kinds);
    const kind = `${queue}.${run}`;
    const before = kinds.get(kind)?.by ?? 0;
    if (before === 0) this.#count += 1;
    if (before + by === 0) {
      this.#count -= 1;
      kinds.delete(kind);
    } else kinds.set(kind, { run, queue, by: before + by });
  }

  /** Tenants with changes. */
  tenants(): readonly TenantId[] {
    return [...this.#tenants.keys()];
  }

  /** Returns the changes of a tenant and removes them. */
  take(tenant: TenantId): readonly SlotChange[] {
    const kinds = this.#tenants.get(tenant);
    this.#tenants.delete(tenant);
    this.#count -= kinds?.size ?? 0;
    return [...(kinds?.values() ?? [])];
  }
}
