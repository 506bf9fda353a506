/** A place at a receiver, to be left when it has answered; or how long to stay away, in milliseconds. */
export type LaneEntry =
  | { readonly type: 'entered'; readonly leave: () => void }
  | { readonly type: 'full'; readonly awayMs: number };

/**
 * How many deliveries of this process are at work at a time, of each tenant and at each host of a tenant. A receiver that
 * hangs takes the places of its own lane, and those of others are left to them.
 */
export interface DeliveryLanes {
  enter(tenant: string, url: string): LaneEntry;
}

/** Deliveries at work at a time; far fewer than the process has places for. */
export const laneLimits = { ofHost: 8, ofTenant: 32 } as const;

/** Lanes by a clock in milliseconds that never goes back. */
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
  /** When each delivery at work has begun. */
  readonly #begun = new Set<{ readonly at: number }>();
  /** How long deliveries have taken of late. */
  #usualMs = shortestMs;
  /** When the last one that was turned away is to come again. */
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

  /** Those who are turned away come again one after the other, as fast as deliveries end here. */
  turnAway(): number {
    const now = this.#now();
    const oldest = Math.min(...[...this.#begun].map(({ at }) => at));
    const takesMs = Math.max(this.#usualMs, now - oldest);
    const turn = Math.max(now, this.#lastTurn) + takesMs / this.#most;
    this.#lastTurn = Math.min(turn, now + longestAwayMs);
    return Math.ceil(this.#lastTurn - now);
  }
}
