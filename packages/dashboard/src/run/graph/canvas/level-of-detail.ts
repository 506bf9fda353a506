/** Readable part of a node: everything, its name and state, or its state alone. */
export type Detail = 'full' | 'names' | 'blocks';

/** Returns the part of a node that can be read at a zoom. */
export function detailAt(zoom: number): Detail {
  if (zoom < 0.3) return 'blocks';
  return zoom < 0.6 ? 'names' : 'full';
}
