import { isMapping } from '../document/mapping.ts';
import { didYouMean } from '../document/suggest.ts';
import type { MemoryStore } from '../document/workflow.ts';
import type { Placed, Reading } from '../elements/read-context.ts';
import { readWith } from '../elements/read-context.ts';
import { readConfigured } from '../elements/use.ts';
import { WrittenMemoryReading, WrittenMemoryWriting } from '../schema/boss-schemas.ts';
import { complain } from './boss-context.ts';
import { field, section } from './sections.ts';

/** The memory files of a boss. */
export interface MemoryFiles {
  readonly stores: readonly MemoryStore[];
  readonly paths: Readonly<Record<string, string>>;
}

/** Reads `memory_files`: names with paths, or with settings of a memory file. */
export function readMemoryFiles(reading: Reading, config: Placed): MemoryFiles {
  const files = section(config, 'memory_files');
  const entries = isMapping(files.value) ? Object.entries(files.value) : [];
  if (entries.length === 0) {
    const hint = 'Write names with paths, such as `plan: memory/plan.txt`.';
    complain(reading, 'E_BOSS_MEMORY', { path: files.path, message: 'The boss has no memory files', hint });
  }
  const stores: MemoryStore[] = [];
  const places = new Map<string, string>();
  for (const [name, written] of entries) {
    const read = readFile(reading, name, { value: written, path: [...files.path, name] });
    // One that cannot be read is kept by its name, so that what uses it is not wrong as well.
    places.set(name, read?.path ?? name);
    if (read !== undefined) stores.push({ name, type: 'memory_file', config: read.config });
  }
  const paths = Object.fromEntries(places);
  checkConflicts(reading, files, { stores, paths });
  return { stores, paths };
}

/** Logs grow, and their end matters; everything else is one text. */
const logs = { mode: 'append', view: 'tail' };

function readFile(reading: Reading, name: string, { value, path }: Placed) {
  if (!/^[A-Za-z_][\w-]*$/.test(name)) {
    const message = `"${name}" is no name for a memory file`;
    complain(reading, 'E_BOSS_MEMORY', { path, message, hint: 'Use letters, digits, _ and -.' });
    return undefined;
  }
  const own = isMapping(value) ? value : { path: value };
  const at = isMapping(value) ? [...path, 'path'] : path;
  const definition = reading.shared.vocabulary.memories.get('memory_file');
  if (definition === undefined) return undefined;
  const place = own.path;
  const isUsable = typeof place === 'string' && place !== '' && !/^([\\/]|[A-Za-z]:)/.test(place) && !leadsOut(place);
  if (!isUsable) {
    const message = 'The path of a memory file is relative and does not lead out of its folder';
    complain(reading, 'E_MEMORY_PATH', { path: at, message, hint: 'Write a path such as `memory/plan.txt`.' });
    return undefined;
  }
  const full = name === 'logs' ? { ...logs, ...own } : own;
  const placed = isMapping(value) ? { value: full, path } : { value: full, path, whole: true as const };
  const read = readConfigured(reading, definition, placed);
  return read === undefined ? undefined : { config: read.config, path: place };
}

const leadsOut = (path: string): boolean => path.split(/[\\/]/).includes('..');

/** Two names for one path are one text, which can only be kept in one way. */
function checkConflicts(reading: Reading, files: Placed, { stores, paths }: MemoryFiles): void {
  const first = new Map<string, MemoryStore>();
  for (const store of stores) {
    const path = (paths[store.name] ?? '')
      .split(/[\\/]/)
      .filter((part) => part !== '' && part !== '.')
      .join('/');
    const other = first.get(path);
    if (other === undefined) first.set(path, store);
    else if (kept(other) !== kept(store)) {
      complain(reading, 'E_MEMORY_CONFLICT', {
        path: [...files.path, store.name],
        message: `"${other.name}" and "${store.name}" are one memory file, "${path}", with different settings`,
        hint: 'Give both the same `mode`, `initial`, `lifetime` and `mirror`, or another path.',
      });
    }
  }
}

function kept({ config }: MemoryStore): string {
  const { mode, initial, lifetime, mirror } = isMapping(config) ? config : {};
  return JSON.stringify([mode, initial, lifetime, mirror]);
}

/** Reads which memory files are read each round. */
export function readReading(reading: Reading, config: Placed, { paths }: MemoryFiles): 'all' | readonly string[] {
  const placed = section(config, 'memory_reading');
  if (placed.value === undefined || placed.value === null) return 'all';
  const stores = readWith(reading, WrittenMemoryReading, placed)?.value.stores ?? 'all';
  if (stores === 'all') return stores;
  stores.forEach((name, at) => {
    checkKnown(reading, { value: name, path: [...placed.path, 'stores', at] }, paths);
  });
  return stores;
}

/** Reads what is written each round; undefined when the boss keeps no logs and says nothing else. */
export function readWriting(reading: Reading, config: Placed, { paths }: MemoryFiles) {
  const placed = section(config, 'memory_writing');
  const isWritten = placed.value !== undefined && placed.value !== null;
  if (!isWritten && !Object.hasOwn(paths, 'logs')) return undefined;
  const read = readWith(reading, WrittenMemoryWriting, { ...placed, value: placed.value ?? {} })?.value;
  if (read === undefined) return undefined;
  checkKnown(reading, { value: read.store, path: field(placed, 'store').path }, paths);
  return read;
}

/** Reports a name that is not among the memory files. */
export function checkKnown(reading: Reading, { value, path }: Placed, paths: MemoryFiles['paths']): void {
  const name = String(value);
  if (Object.hasOwn(paths, name)) return;
  const hint = didYouMean(name, Object.keys(paths)) ?? `Add it to "memory_files".`;
  complain(reading, 'E_BOSS_MEMORY', { path, message: `"memory_files" has no "${name}"`, hint });
}
