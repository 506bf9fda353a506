import { isMapping, listOf } from './mapping.ts';
import type { Path } from './path.ts';
import type { Placed, Reading } from './reading.ts';
import { readWith } from './reading.ts';
import { didYouMean } from './suggest.ts';
import type { MemoryStore } from './workflow.ts';
import { WrittenMemoryStore } from './written.ts';

/** Reads the memory stores of a graph; their names must differ. */
export function readMemoryStores(reading: Reading, { value, path }: Placed): readonly MemoryStore[] {
  const names = new Set<string>();
  return listOf(value).flatMap((entry, index): MemoryStore[] => {
    const at = Array.isArray(value) ? [...path, index] : path;
    const store = readWith(reading, WrittenMemoryStore, { value: entry, path: at })?.value;
    if (store === undefined) return [];
    if (names.has(store.name)) {
      const message = `There are two memory stores named "${store.name}"`;
      reading.document.report.add('E_MEMORY_DUPLICATE', { path: [...at, 'name'], message });
    }
    names.add(store.name);
    return [{ name: store.name, type: store.type, config: store.config ?? {} }];
  });
}

/** Checks that the stores which a node's configuration names under `memories` are those of its graph. */
export function checkMemoryReferences(reading: Reading, { value, path }: Placed, stores: readonly MemoryStore[]): void {
  if (!isMapping(value) || !Array.isArray(value.memories)) return;
  const names = stores.map(({ name }) => name);
  value.memories.forEach((attachment: unknown, index) => {
    const name = isMapping(attachment) ? attachment.name : undefined;
    if (typeof name !== 'string' || names.includes(name)) return;
    const at: Path = [...path, 'memories', index, 'name'];
    const hint = didYouMean(name, names) ?? 'Declare it under "memory" of the graph.';
    reading.document.report.add('E_MEMORY_UNKNOWN', {
      path: at,
      message: `The graph has no memory store "${name}"`,
      hint,
    });
  });
}
