import { dotProduct } from './vector.ts';

/** An item with a vector, which can be compared with a query. */
export interface VectorItem {
  readonly vector?: Float32Array | undefined;
  readonly space?: string | undefined;
}

/** An item and its similarity to a query, from -1 to 1. */
export interface SimilarItem<Item> {
  readonly item: Item;
  readonly similarity: number;
}

/** The vector of a query, and the space that it belongs to. */
export interface QueryVector {
  readonly space: string;
  readonly vector: Float32Array;
}

/**
 * Returns the `count` most similar items, most similar first; of equal ones, the first. Items of other spaces are left
 * out.
 */
export function nearest<Item extends VectorItem>(
  items: readonly Item[],
  { space, vector }: QueryVector,
  count: number,
): readonly SimilarItem<Item>[] {
  const found: SimilarItem<Item>[] = [];
  for (const item of items) {
    if (item.vector?.length !== vector.length || item.space !== space) continue;
    found.push({ item, similarity: dotProduct(item.vector, vector) });
  }
  return found.sort((a, b) => b.similarity - a.similarity).slice(0, count);
}
