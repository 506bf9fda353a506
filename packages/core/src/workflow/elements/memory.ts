import { isMapping, toList } from '../document/mapping.ts';
import type { Path } from '../document/path.ts';
import { didYouMean } from '../document/suggest.ts';
import type { MemoryStore } from '../document/workflow.ts';
import { MemoryStoreSchema } from '../schema/document-schemas.ts';
import type { ParsedNode } from './node.ts';
import type { LocatedValue, ReadContext } from './read-context.ts';
import { readBySchema } from './read-context.ts';
import { readConfigured } from './use.ts';

/** Reads the memory stores of a graph; their names must differ. */
export function readMemoryStores(context: ReadContext, { value, path }: LocatedValue): readonly MemoryStore[] {
  const names = new Set<string>();
  return toList(value).flatMap((entry, index): MemoryStore[] => {
    const at = Array.isArray(value) ? [...path, index] : path;
    const written = readBySchema(context, MemoryStoreSchema, { value: entry, path: at })?.value;
    if (written === undefined) return [];
    const { name, type } = written;
    if (names.has(name)) {
      const message = `There are two memory stores named "${name}"`;
      context.document.report.add('E_MEMORY_DUPLICATE', { path: [...at, 'name'], message });
    }
    names.add(name);
    const { memories } = context.shared.vocabulary;
    const definition = memories.get(type);
    if (definition === undefined) {
      const hint = didYouMean(type, [...memories.keys()]) ?? `Known types: ${[...memories.keys()].join(', ')}.`;
      const message = `There is no memory store of type "${type}"`;
      context.document.report.add('E_MEMORY_TYPE_UNKNOWN', { path: [...at, 'type'], message, hint });
    }
    const config = { value: written.config ?? {}, path: [...at, 'config'] };
    const read = definition === undefined ? undefined : readConfigured(context, definition, config);
    // A store that cannot be read keeps its name, so that references to it are not reported as well.
    return [{ name, type: definition?.type ?? type, config: read?.config ?? {} }];
  });
}

/** Checks that the stores in `memories` of a node's configuration are stores of its graph. */
export function checkMemoryReferences(
  context: ReadContext,
  { value, path }: LocatedValue,
  stores: readonly MemoryStore[],
): void {
  if (!isMapping(value) || !Array.isArray(value.memories)) return;
  const names = stores.map(({ name }) => name);
  value.memories.forEach((attachment: unknown, index) => {
    const name = isMapping(attachment) ? attachment.name : undefined;
    if (typeof name !== 'string' || names.includes(name)) return;
    const at: Path = [...path, 'memories', index, 'name'];
    const hint = didYouMean(name, names) ?? 'Declare it under "memory" of the graph.';
    context.document.report.add('E_MEMORY_UNKNOWN', {
      path: at,
      message: `The graph has no memory store "${name}"`,
      hint,
    });
  });
}

/** Checks that the memory files that nodes use are stores of their graph, with a type that holds one text. */
export function checkMemoryFiles(
  context: ReadContext,
  nodes: readonly ParsedNode[],
  stores: readonly MemoryStore[],
): void {
  const { memories } = context.shared.vocabulary;
  const known = stores.filter(({ type }) => memories.get(type)?.file !== undefined).map(({ name }) => name);
  for (const { node, path, definition, configured } of nodes) {
    if (!configured) continue;
    for (const { name, path: below } of definition?.memoryFiles?.(node.config) ?? []) {
      if (known.includes(name)) continue;
      context.document.report.add('E_MEMORY_UNKNOWN', {
        path: [...path, 'config', ...below],
        message: `The graph has no memory file "${name}"`,
        hint: didYouMean(name, known) ?? 'Declare it under "memory" of the graph, with the type memory_file.',
      });
    }
  }
}
