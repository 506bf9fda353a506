import { product } from './vector.ts';

/** Something that can be near to a query. */
export interface Comparable {
  readonly vector?: Float32Array | undefined;
  readonly space?: string | undefined;
}

/** An item and its similarity to a query, from -1 to 1. */
export interface Near<Item> {
  readonly item: Item;
  readonly similarity: number;
}

/** The vector of a query and the space that it is in. */
export interface QueryVector {
  readonly space: string;
  readonly vector: Float32Array;
}

/** The `count` most similar items, most similar first; of equals the first one. Others than of the query's space are left out. */
export function nearest<Item extends Comparable>(
  items: readonly Item[],
  { space, vector }: QueryVector,
  count: number,
): readonly Near<Item>[] {
  const found: Near<Item>[] = [];
  for (const item of items) {
    if (item.vector?.length !== vector.length || item.space !== space) continue;
    found.push({ item, similarity: product(item.vector, vector) });
  }
  return found.sort((a, b) => b.similarity - a.similarity).slice(0, count);
}
