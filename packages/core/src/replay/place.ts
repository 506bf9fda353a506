/** The places with one label in a scope, by unit and one after the other. */
interface Siblings {
  readonly label: string;
  readonly byUnit: Place[][];
}

/**
 * The place of a scope or an activation in its run, independent of what happened at the same time: the scope that it is in, its label
 * there, its unit, and how often it has been there. Ids depend on the order of events; places are the same in every run that
 * takes the same way. Those of a run are a tree, in which hundreds of thousands need no texts of their own, and no Map that copies
 * all of them at once when it grows.
 */
export class Place {
  readonly #within: Place | undefined;
  readonly #siblings: Siblings | undefined = undefined;
  readonly #unit: number | undefined;
  readonly #time: number = 0;
  #inside: Map<string, Siblings> | undefined;

  /** Takes the next place with a label in a scope; without one, that of the whole run. */
  constructor(within?: Place, label = '', unit?: number) {
    this.#within = within;
    this.#unit = unit;
    if (within === undefined) return;
    this.#siblings = within.#labelled(unit === undefined ? label : `${label}[]`);
    this.#time = this.#nextIn(this.#siblings.byUnit);
  }

  /** Returns the place in the run of this one, the root, that is like a place in another run; undefined if there is none. */
  find(other: Place): Place | undefined {
    let found: Place = this;
    for (const step of other.#way()) {
      const siblings = found.#inside?.get(step.#siblings?.label ?? '');
      const next = siblings?.byUnit[step.#unit ?? 0]?.[step.#time];
      if (next === undefined) return undefined;
      found = next;
    }
    return found;
  }

  /** The place as a text, which ends with `#` and how often it has been there, from 1. */
  get path(): string {
    return this.#way()
      .map((step) => `/${step.#siblings?.label}${step.#unit ?? ''}#${step.#time + 1}`)
      .join('');
  }

  #labelled(label: string): Siblings {
    this.#inside ??= new Map();
    const known = this.#inside.get(label);
    if (known !== undefined) return known;
    const siblings = { label, byUnit: [] };
    this.#inside.set(label, siblings);
    return siblings;
  }

  #nextIn(byUnit: Place[][]): number {
    const before = byUnit[this.#unit ?? 0];
    if (before !== undefined) return before.push(this) - 1;
    // Most units are there once: a list of one is made as small as that.
    byUnit[this.#unit ?? 0] = [this];
    return 0;
  }

  /** Returns the places from the one below the root to this one. */
  #way(): readonly Place[] {
    const way: Place[] = [];
    for (let step: Place = this; step.#within !== undefined; step = step.#within) way.push(step);
    return way.reverse();
  }
}
