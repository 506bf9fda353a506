import { isMapping } from '../document/mapping.ts';
import { didYouMean } from '../document/suggest.ts';
import type { MemoryStore } from '../document/workflow.ts';
import type { LocatedValue, ReadContext } from '../elements/read-context.ts';
import { readBySchema } from '../elements/read-context.ts';
import { readConfigured } from '../elements/use.ts';
import { BossMemoryReadingSchema, BossMemoryWritingSchema } from '../schema/boss-schemas.ts';
import { field, reportBossProblem, section } from './sections.ts';

/** The memory files of a boss. */
export interface BossMemoryFiles {
  readonly stores: readonly MemoryStore[];
  readonly paths: Readonly<Record<string, string>>;
}

/** Reads `memory_files`: names with paths, or with the settings of a memory file. */
export function readMemoryFiles(context: ReadContext, config: LocatedValue): BossMemoryFiles {
  const files = section(config, 'memory_files');
  const entries = isMapping(files.value) ? Object.entries(files.value) : [];
  if (entries.length === 0) {
    const hint = 'Write names with paths, such as `plan: memory/plan.txt`.';
    reportBossProblem(context, 'E_BOSS_MEMORY', { path: files.path, message: 'The boss has no memory files', hint });
  }
  const stores: MemoryStore[] = [];
  const pathByName = new Map<string, string>();
  for (const [name, written] of entries) {
    const read = readFile(context, name, { value: written, path: [...files.path, name] });
    // A file that cannot be read keeps its name, so that references to it are not reported as well.
    pathByName.set(name, read?.path ?? name);
    if (read !== undefined) stores.push({ name, type: 'memory_file', config: read.config });
  }
  const paths = Object.fromEntries(pathByName);
  checkConflicts(context, files, { stores, paths });
  return { stores, paths };
}

/** Defaults of the file `logs`: entries are appended, and its end is shown. */
const logDefaults = { mode: 'append', view: 'tail' };

function readFile(context: ReadContext, name: string, { value, path }: LocatedValue) {
  if (!/^[A-Za-z_][\w-]*$/.test(name)) {
    const message = `"${name}" is not a valid name of a memory file`;
    reportBossProblem(context, 'E_BOSS_MEMORY', { path, message, hint: 'Use letters, digits, _ and -.' });
    return undefined;
  }
  const own = isMapping(value) ? value : { path: value };
  const at = isMapping(value) ? [...path, 'path'] : path;
  const definition = context.shared.vocabulary.memories.get('memory_file');
  if (definition === undefined) return undefined;
  const filePath = own.path;
  const isUsable =
    typeof filePath === 'string' &&
    filePath !== '' &&
    !/^([\\/]|[A-Za-z]:)/.test(filePath) &&
    !startExitOfCall(filePath);
  if (!isUsable) {
    const message = 'The path of a memory file must be relative and must not lead out of its folder';
    reportBossProblem(context, 'E_MEMORY_PATH', { path: at, message, hint: 'Write a path such as `memory/plan.txt`.' });
    return undefined;
  }
  const full = name === 'logs' ? { ...logDefaults, ...own } : own;
  const located = isMapping(value) ? { value: full, path } : { value: full, path, whole: true as const };
  const read = readConfigured(context, definition, located);
  return read === undefined ? undefined : { config: read.config, path: filePath };
}

const startExitOfCall = (path: string): boolean => path.split(/[\\/]/).includes('..');

/** Reports two names of one path with different settings: they are one text, which has one set of settings. */
function checkConflicts(context: ReadContext, files: LocatedValue, { stores, paths }: BossMemoryFiles): void {
  const first = new Map<string, MemoryStore>();
  for (const store of stores) {
    const path = (paths[store.name] ?? '')
      .split(/[\\/]/)
      .filter((part) => part !== '' && part !== '.')
      .join('/');
    const other = first.get(path);
    if (other === undefined) first.set(path, store);
    else if (settingsKey(other) !== settingsKey(store)) {
      reportBossProblem(context, 'E_MEMORY_CONFLICT', {
        path: [...files.path, store.name],
        message: `"${other.name}" and "${store.name}" are the same memory file, "${path}", with different settings`,
        hint: 'Give both the same `mode`, `initial`, `lifetime` and `mirror`, or another path.',
      });
    }
  }
}

function settingsKey({ config }: MemoryStore): string {
  const { mode, initial, lifetime, mirror } = isMapping(config) ? config : {};
  return JSON.stringify([mode, initial, lifetime, mirror]);
}

/** Reads the names of the memory files that are read in each round. */
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

/**
 * Reads the memory file and template that are written in each round; undefined if the boss keeps no logs and sets
 * neither.
 */
export function readWriting(context: ReadContext, config: LocatedValue, { paths }: BossMemoryFiles) {
  const located = section(config, 'memory_writing');
  const isWritten = located.value !== undefined && located.value !== null;
  if (!isWritten && !Object.hasOwn(paths, 'logs')) return undefined;
  const read = readBySchema(context, BossMemoryWritingSchema, { ...located, value: located.value ?? {} })?.value;
  if (read === undefined) return undefined;
  checkKnown(context, { value: read.store, path: field(located, 'store').path }, paths);
  return read;
}

/** Reports a name that is not a memory file of the boss. */
export function checkKnown(context: ReadContext, { value, path }: LocatedValue, paths: BossMemoryFiles['paths']): void {
  const name = String(value);
  if (Object.hasOwn(paths, name)) return;
  const hint = didYouMean(name, Object.keys(paths)) ?? `Add it to "memory_files".`;
  reportBossProblem(context, 'E_BOSS_MEMORY', { path, message: `"memory_files" has no "${name}"`, hint });
}
