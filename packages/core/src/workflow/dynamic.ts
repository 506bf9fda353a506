import { coerceDynamicConfig } from './coerce.ts';
import type { Placed, Reading } from './reading.ts';
import { readFields } from './reading.ts';
import { kinds, readShortUse, readUse } from './use.ts';
import type { Dynamic, Use } from './workflow.ts';
import { WrittenDynamic, WrittenDynamicConfig } from './written.ts';

/** Reads the fan-out of an edge: null when there is none, undefined when it cannot be used. */
export function readDynamic(reading: Reading, placed: Placed): Dynamic | null | undefined {
  if (placed.value === undefined || placed.value === null) return null;
  const written = readFields(reading, WrittenDynamic, placed);
  const raw = written.config ?? {};
  const value = reading.shared.compat ? coerceDynamicConfig(raw) : raw;
  const limits = readFields(reading, WrittenDynamicConfig, { value, path: [...placed.path, 'config'] });
  const split = readSplit(reading, { split: written.split, limits, path: placed.path });
  if (written.type === undefined || split === undefined) return undefined;
  const { max_parallel: maxParallel = 10, group_size: groupSize = 3, item_name: itemName } = limits;
  const dynamic: Dynamic = { type: written.type, split, maxParallel, groupSize };
  return itemName === undefined ? dynamic : { ...dynamic, itemName };
}

interface Splitting {
  readonly split: unknown;
  readonly limits: Partial<ReturnType<typeof WrittenDynamicConfig.parse>>;
  readonly path: Placed['path'];
}

function readSplit(reading: Reading, { split, limits, path }: Splitting): Use | undefined {
  const { split_type: short, pattern } = limits;
  const isLong = split !== undefined && split !== null;
  if (isLong && short !== undefined) {
    reading.document.report.add('E_DYNAMIC_SPLIT_TWICE', {
      path: [...path, 'config', 'split_type'],
      message: 'The edge says how to split both under "split" and under "config.split_type"',
      hint: 'Remove one of them.',
    });
  }
  if (isLong) return readUse(reading, kinds.splitter, { value: split, path: [...path, 'split'] });
  if (short === undefined) return readShortUse(reading, kinds.splitter, { type: 'message', value: {}, path });
  const at = [...path, 'config', 'split_type'];
  if (short !== 'regex') return readShortUse(reading, kinds.splitter, { type: short, value: {}, path: at });
  const value = pattern === undefined ? {} : { pattern };
  const place = pattern === undefined ? at : [...path, 'config', 'pattern'];
  return readShortUse(reading, kinds.splitter, { type: 'delimiter', value, path: place });
}
