import { isMapping } from '../document/mapping.ts';
import { didYouMean } from '../document/suggest.ts';
import type { MemoryStore } from '../document/workflow.ts';
import type { LocatedValue, ReadContext } from '../elements/read-context.ts';
import { readBySchema } from '../elements/read-context.ts';
import { readConfigured } from '../elements/use.ts';
import { BossMemoryReadingSchema, BossMemoryWritingSchema } from '../schema/boss-schemas.ts';
import { reportBossProblem } from './boss-context.ts';
import { field, section } from './sections.ts';

/** The memory files of a boss. */
export interface BossMemoryFiles {
  readonly stores: readonly MemoryStore[];
  readonly paths: Readonly<Record<string, string>>;
}

/** Reads `memory_files`: names with paths, or with settings of a memory file. */
export function readMemoryFiles(context: ReadContext, config: LocatedValue): BossMemoryFiles {
  const files = section(config, 'memory_files');
  const entries = isMapping(files.value) ? Object.entries(files.value) : [];
  if (entries.length === 0) {
    const hint = 'Write names with paths, such as `plan: memory/plan.txt`.';
    reportBossProblem(context, 'E_BOSS_MEMORY', { path: files.path, message: 'The boss has no memory files', hint });
  }
  const stores: MemoryStore[] = [];
  const places = new Map<string, string>();
  for (const [name, written] of entries) {
    const read = readFile(context, name, { value: written, path: [...files.path, name] });
    // One that cannot be read is kept by its name, so that what uses it is not wrong as well.
    places.set(name, read?.path ?? name);
    if (read !== undefined) stores.push({ name, type: 'memory_file', config: read.config });
  }
  const paths = Object.fromEntries(places);
  checkConflicts(context, files, { stores, paths });
  return { stores, paths };
}

/** Logs grow, and their end matters; everything else is one text. */
const logs = { mode: 'append', view: 'tail' };

function readFile(context: ReadContext, name: string, { value, path }: LocatedValue) {
  if (!/^[A-Za-z_][\w-]*$/.test(name)) {
    const message = `"${name}" is no name for a memory file`;
    reportBossProblem(context, 'E_BOSS_MEMORY', { path, message, hint: 'Use letters, digits, _ and -.' });
    return undefined;
  }
  const own = isMapping(value) ? value : { path: value };
  const at = isMapping(value) ? [...path, 'path'] : path;
  const definition = context.shared.vocabulary.memories.get('memory_file');
  if (definition === undefined) return undefined;
  const place = own.path;
  const isUsable = typeof place === 'string' && place !== '' && !/^([\\/]|[A-Za-z]:)/.test(place) && !leadsOut(place);
  if (!isUsable) {
    const message = 'The path of a memory file is relative and does not lead out of its folder';
    reportBossProblem(context, 'E_MEMORY_PATH', { path: at, message, hint: 'Write a path such as `memory/plan.txt`.' });
    return undefined;
  }
  const full = name === 'logs' ? { ...logs, ...own } : own;
  const placed = isMapping(value) ? { value: full, path } : { value: full, path, whole: true as const };
  const read = readConfigured(context, definition, placed);
  return read === undefined ? undefined : { config: read.config, path: place };
}

const leadsOut = (path: string): boolean => path.split(/[\\/]/).includes('..');

/** Two names for one path are one text, which can only be kept in one way. */
function checkConflicts(context: ReadContext, files: LocatedValue, { stores, paths }: BossMemoryFiles): void {
  const first = new Map<string, MemoryStore>();
  for (const store of stores) {
    const path = (paths[store.name] ?? '')
      .split(/[\\/]/)
      .filter((part) => part !== '' && part !== '.')
      .join('/');
    const other = first.get(path);
    if (other === undefined) first.set(path, store);
    else if (kept(other) !== kept(store)) {
      reportBossProblem(context, 'E_MEMORY_CONFLICT', {
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
export function readReading(
  context: ReadContext,
  config: LocatedValue,
  { paths }: BossMemoryFiles,
): 'all' | readonly string[] {
  const located = section(config, 'memory_reading');
  if (located.value === undefined || located.value === null) return 'all';
  const stores = readBySchema(context, BossMemoryReadingSchema, located)?.value.stores ?? 'all';
  if (stores === 'all') return stores;
  stores.forEach((name, at) => {
    checkKnown(context, { value: name, path: [...located.path, 'stores', at] }, paths);
  });
  return stores;
}

/** Reads what is written each round; undefined when the boss keeps no logs and says nothing else. */
export function readWriting(context: ReadContext, config: LocatedValue, { paths }: BossMemoryFiles) {
  const located = section(config, 'memory_writing');
  const isWritten = located.value !== undefined && located.value !== null;
  if (!isWritten && !Object.hasOwn(paths, 'logs')) return undefined;
  const read = readBySchema(context, BossMemoryWritingSchema, { ...located, value: located.value ?? {} })?.value;
  if (read === undefined) return undefined;
  checkKnown(context, { value: read.store, path: field(located, 'store').path }, paths);
  return read;
}

/** Reports a name that is not among the memory files. */
export function checkKnown(context: ReadContext, { value, path }: LocatedValue, paths: BossMemoryFiles['paths']): void {
  const name = String(value);
  if (Object.hasOwn(paths, name)) return;
  const hint = didYouMean(name, Object.keys(paths)) ?? `Add it to "memory_files".`;
  reportBossProblem(context, 'E_BOSS_MEMORY', { path, message: `"memory_files" has no "${name}"`, hint });
}
