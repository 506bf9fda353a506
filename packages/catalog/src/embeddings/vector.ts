/** A vector of length 1 with the same direction; zeros stay zeros. */
export function normalised(numbers: ArrayLike<number>): Float32Array {
  const vector = Float32Array.from(numbers);
  const length = Math.sqrt(product(vector, vector));
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** The inner product of two vectors of one size. */
export function product(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  // In range for both, as they have one size.
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

/** A vector as text: 32-bit floats, little-endian as on every machine that Node.js runs on, in base64. */
export const textOfVector = (vector: Float32Array): string =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');

/** The inverse of {@link textOfVector}. */
export function vectorOfText(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + (bytes.length & ~3)));
}
