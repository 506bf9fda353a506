/**
 * A place at a receiver, to be released after its answer; or the wait before the next request for a place, in
 * milliseconds.
 */
export type LaneEntry =
  | { readonly type: 'entered'; readonly leave: () => void }
  | { readonly type: 'full'; readonly awayMs: number };

/**
 * Limits of the deliveries of this process that are under way, for each tenant and each host of a tenant. A receiver
 * that hangs occupies only the capacity of its own lane.
 */
export interface DeliveryLanes {
  enter(tenant: string, url: string): LaneEntry;
}

/** Maximum number of active deliveries; far fewer than the process has capacity for. */
export const laneLimits = { ofHost: 8, ofTenant: 32 } as const;

/** Returns lanes that use a monotonic clock in milliseconds. */
export function createDeliveryLanes(now: () => number = () => performance.now()): DeliveryLanes {
  const lanes = new Map<string, Lane>();
  const laneOf = (name: string, most: number): Lane => {
    const lane = lanes.get(name) ?? new Lane(most, now);
    lanes.set(name, lane);
    return lane;
  };
  return {
    enter(tenant, url) {
      const names = { ofTenant: tenant, ofHost: `${tenant} ${new URL(url).host}` };
      const both = [laneOf(names.ofTenant, laneLimits.ofTenant), laneOf(names.ofHost, laneLimits.ofHost)];
      const full = both.find((lane) => lane.isFull);
      if (full !== undefined) return { type: 'full', awayMs: full.turnAway() };
      const begun = both.map((lane) => lane.begin());
      return {
        type: 'entered',
        leave() {
          for (const end of begun) end();
          for (const name of Object.values(names)) if (lanes.get(name)?.isEmpty) lanes.delete(name);
        },
      };
    },
  };
}

const shortestMs = 20;
const longestAwayMs = 60_000;

class Lane {
  readonly #most: number;
  readonly #now: () => number;
  /** Start of each delivery under way. */
  readonly #begun = new Set<{ readonly at: number }>();
  /** Typical duration of recent deliveries. */
  #usualMs = shortestMs;
  /** Time at which the last delivery that was postponed is tried again. */
  #lastTurn = 0;

  constructor(most: number, now: () => number) {
    this.#most = most;
    this.#now = now;
  }

  get isFull(): boolean {
    return this.#begun.size >= this.#most;
  }

  get isEmpty(): boolean {
    return this.#begun.size === 0;
  }

  begin(): () => void {
    const one = { at: this.#now() };
    this.#begun.add(one);
    return () => {
      this.#begun.delete(one);
      this.#usualMs = Math.max(shortestMs, (this.#usualMs + this.#now() - one.at) / 2);
    };
  }

  /**
   * Returns the wait of a delivery that is postponed: such deliveries are tried again one after the other, as fast as
   * deliveries end.
   */
  turnAway(): number {
    const now = this.#now();
    const oldest = Math.min(...[...this.#begun].map(({ at }) => at));
    const takesMs = Math.max(this.#usualMs, now - oldest);
    const turn = Math.max(now, this.#lastTurn) + takesMs / this.#most;
    this.#lastTurn = Math.min(turn, now + longestAwayMs);
    return Math.ceil(this.#lastTurn - now);
  }
}
