import { createStore } from '../../api/store.ts';

/** Height of the rows of long lists: one line, or two. */
export type Density = 'compact' | 'comfortable';

const stored = 'millrace.density';

/** The density of lists in this browser. */
export const listDensity = createStore<Density>(
  localStorage.getItem(stored) === 'comfortable' ? 'comfortable' : 'compact',
);

/** Changes the density of lists in this browser. */
export function preferDensity(density: Density): void {
  if (density === 'compact') localStorage.removeItem(stored);
  else localStorage.setItem(stored, density);
  listDensity.set(density);
}
