/** Part of the canvas, by its id. */
interface Part {
  readonly id: string;
}

/** Parts of the canvas as they were drawn last. */
export interface FlowCache {
  /** Returns the previously drawn part if all of its fields are the same. */
  keep<P extends Part>(part: P): P;
}

/** Creates an empty cache. */
export function createFlowCache(): FlowCache {
  const known = new Map<string, Part>();
  return {
    keep(part) {
      const before = known.get(part.id) as typeof part | undefined; // ids name one kind of part each
      if (before !== undefined && isEqual(before, part)) return before;
      known.set(part.id, part);
      return part;
    },
  };
}

type Fields = Readonly<Record<string, unknown>>;

function isEqual(before: object, now: object): boolean {
  const [known, fresh] = [before as Fields, now as Fields];
  const keys = Object.keys(fresh);
  return keys.length === Object.keys(known).length && keys.every((key) => isAlike(known[key], fresh[key]));
}

/** Tests if two values are the same, or small objects with equal values, such as points. */
const isAlike = (one: unknown, other: unknown): boolean =>
  Object.is(one, other) || (isSmall(one) && isSmall(other) && isFlatEqual(one, other));

/** Maximum number of fields of objects that are compared by their fields; views of nodes keep their identity instead. */
const mostFields = 4;

const isSmall = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && Object.keys(value).length <= mostFields;

function isFlatEqual(one: Fields, other: Fields): boolean {
  const keys = Object.keys(other);
  return keys.length === Object.keys(one).length && keys.every((key) => Object.is(one[key], other[key]));
}
