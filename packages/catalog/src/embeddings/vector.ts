/** Returns the vector of length 1 with the same direction; a zero vector stays zero. */
export function toUnitVector(numbers: ArrayLike<number>): Float32Array {
  const vector = Float32Array.from(numbers);
  const length = Math.sqrt(dotProduct(vector, vector));
  return length === 0 ? vector : vector.map((value) => value / length);
}

/**
 * Returns the inner product of two vectors of the same size; four sums at a time, because each addition waits for the
 * one before.
 */
export function dotProduct(a: Float32Array, b: Float32Array): number {
  // All indices are in range for both vectors, because they have the same size.
  const times = (at: number): number => (a[at] as number) * (b[at] as number);
  let [first, second, third, fourth] = [0, 0, 0, 0];
  const whole = a.length - (a.length % 4);
  for (let at = 0; at < whole; at += 4) {
    first += times(at);
    second += times(at + 1);
    third += times(at + 2);
    fourth += times(at + 3);
  }
  for (let at = whole; at < a.length; at++) first += times(at);
  return first + second + third + fourth;
}

/** Returns a vector as text: 32-bit floats, little-endian as on every machine that Node.js runs on, in base64. */
export const textOfVector = (vector: Float32Array): string =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');

/** The inverse of {@link textOfVector}. */
export function vectorOfText(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + (bytes.length & ~3)));
}

/** An item with a vector, which can be compared with a query. */
interface VectorItem {
  readonly vector?: Float32Array | undefined;
  readonly space?: string | undefined;
}

/** An item and its similarity to a query, from -1 to 1. */
interface SimilarItem<Item> {
  readonly item: Item;
  readonly similarity: number;
}

/** The vector of a query, and the space that it belongs to. */
interface QueryVector {
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
