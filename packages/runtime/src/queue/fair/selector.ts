import { setTimeout as pause } from 'node:timers/promises';
import type { QueueName, TenantId, Wake } from '@millrace/core';
import { tenantOf } from '@millrace/core';
import type { Asking, Gate } from './gate.ts';
import { Hands } from './hands.ts';
import { SlotChanges } from './slot-changes.ts';
import { Standings } from './standings.ts';

/*
 * What stands in front of the queues, so that nobody's wakes keep everybody else's waiting. The queues themselves are
 * first come, first served; what is fair is who gets into them. A tenant may always have so many wakes in them, and more
 * while hardly anything waits; the rest of its wakes wait outside, and its runs go by turns (share.lua).
 *
 * A wake that comes of work in hand takes over that work's slot, so a run that goes on from step to step costs nothing
 * here. A wake that is more than that is counted, but sent without asking unless the tenant has limits or was last seen
 * beyond its share; only then it is asked for first. All of this is about hints: what is lost, doubled or counted wrongly is put
 * right by counting anew and by the agenda.
 */

/** Options of {@link createSelector}. */
export interface SelectorOptions {
  readonly gate: Gate;
  /** Puts wakes into their queues. */
  readonly admit: (wakes: readonly Wake[]) => Promise<void>;
  /** Hears of trouble with Redis. */
  readonly onError: (error: Error) => void;
}

/** What stands in front of the queues; see createSelector. */
export interface Selector {
  /** Those of the wakes that go into their queues at once, and when the others have been told to wait for their turn. */
  sift(wakes: readonly Wake[]): Sifted;
  /** Wakes again that may be queued, at work, waiting for their turn, or lost. */
  remind(wakes: readonly Wake[]): Promise<void>;
  /** Does work with a slot in hand that what it leads to can take over. */
  holding(wake: Wake, work: () => Promise<void>): Promise<void>;
  /** Puts right what processes that died have left in these queues. */
  tend(queues: readonly QueueName[]): Promise<void>;
  /** Tells what has not been told yet, if Redis is there to hear it. */
  close(): Promise<void>;
}

/** See {@link Selector.sift}. */
export interface Sifted {
  readonly straight: readonly Wake[];
  readonly told: Promise<void> | undefined;
}

/** Wakes that go without asking at a time. */
const burst = 16;
/** Wakes told in one go. */
const chunk = 256;
/** Changes of slots are told together with those of so many milliseconds. */
const gatherMs = 1;
/** How long a Redis that is away keeps a process from ending, in milliseconds. */
const patienceMs = 1000;

/** A fair way into queues. */
export function createSelector({ gate, admit, onError }: SelectorOptions): Selector {
  const hands = new Hands();
  const standings = new Standings();
  const changes = new SlotChanges();
  const telling = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  async function ask(asking: Asking): Promise<void> {
    const { within, admitted } = await gate.ask(asking);
    standings.learn(asking.tenant, { within });
    if (admitted.length > 0) await admit(admitted);
  }

  /** Tells changes and wakes that are to wait, and puts in what may go; never throws. */
  function tell(tenant: TenantId, wakes: readonly Wake[]): Promise<void> {
    const asked = askingsOf(tenant, changes.take(tenant), wakes).map((asking) =>
      ask(asking).catch((error: Error) => onError(error)),
    );
    const told = Promise.all(asked).then(() => undefined);
    telling.add(told);
    return told.finally(() => telling.delete(told));
  }

  const tellChanges = (): void => {
    clearTimeout(timer);
    timer = undefined;
    for (const tenant of changes.tenants()) void tell(tenant, []);
  };

  const change = (wake: Wake, by: number): void => {
    if (closed) return;
    changes.note(wake, by);
    timer ??= setTimeout(tellChanges, gatherMs);
  };

  const learnLimits = async (): Promise<void> => standings.learnLimited(await gate.limited());
  // Until that is known everybody asks.
  learnLimits().catch(() => undefined);

  const tellAll = (wakes: readonly Wake[]): Promise<void> =>
    Promise.all([...byTenant(wakes)].map(([tenant, some]) => tell(tenant, some))).then(() => undefined);

  return {
    sift(wakes) {
      const more = wakes.filter((wake) => !hands.passOn(wake));
      if (more.length === 0) return { straight: wakes, told: undefined };
      const unasked = new Set(more.filter(({ run }) => !standings.mustAsk(tenantOf(run))).slice(0, burst));
      for (const wake of unasked) change(wake, 1);
      if (unasked.size === more.length) return { straight: wakes, told: undefined };
      const waiting = new Set(more.filter((wake) => !unasked.has(wake)));
      return { straight: wakes.filter((wake) => !waiting.has(wake)), told: tellAll([...waiting]) };
    },
    remind: tellAll,
    async holding(wake, work) {
      hands.take(wake);
      try {
        await work();
      } finally {
        if (hands.leave(wake)) change(wake, -1);
      }
    },
    async tend(queues) {
      await learnLimits();
      for (const tenant of await gate.recount(queues)) await ask({ tenant, changes: [], wakes: [] });
    },
    async close() {
      tellChanges();
      closed = true;
      await within(patienceMs, Promise.all(telling));
    },
  };
}

/** What is told at a time; nothing where nothing has changed. */
function askingsOf(tenant: TenantId, changes: Asking['changes'], wakes: readonly Wake[]): readonly Asking[] {
  if (wakes.length === 0) return changes.length === 0 ? [] : [{ tenant, changes, wakes }];
  const askings: Asking[] = [];
  for (let from = 0; from < wakes.length; from += chunk)
    askings.push({ tenant, changes: from === 0 ? changes : [], wakes: wakes.slice(from, from + chunk) });
  return askings;
}

function byTenant(wakes: readonly Wake[]): ReadonlyMap<TenantId, Wake[]> {
  const tenants = new Map<TenantId, Wake[]>();
  for (const wake of wakes) {
    const tenant = tenantOf(wake.run);
    const some = tenants.get(tenant);
    if (some === undefined) tenants.set(tenant, [wake]);
    else some.push(wake);
  }
  return tenants;
}

/** Waits for something, but not longer than that. */
async function within(ms: number, something: Promise<unknown>): Promise<void> {
  const stop = new AbortController();
  await Promise.race([something, pause(ms, undefined, { signal: stop.signal }).catch(() => undefined)]);
  stop.abort();
}
