import type { Path } from '../document/path.ts';
import type { Dynamic, Use } from '../document/workflow.ts';
import { DynamicConfigSchema, DynamicSchema } from '../schema/document-schemas.ts';
import { coerceDynamicConfig } from './coerce.ts';
import type { LocatedValue, ReadContext } from './read-context.ts';
import { readFields } from './read-context.ts';
import { kinds, readShortUse, readUse } from './use.ts';

/** Reads the fan-out of an edge: null if there is none, undefined if it is invalid. */
export function readDynamic(context: ReadContext, located: LocatedValue): Dynamic | null | undefined {
  if (located.value === undefined || located.value === null) return null;
  const strict = { ...context, strict: true as const };
  const written = readFields(strict, DynamicSchema, located);
  const raw = written.config ?? {};
  const value = context.shared.compat ? coerceDynamicConfig(raw) : raw;
  const limits = readFields(strict, DynamicConfigSchema, { value, path: [...located.path, 'config'] });
  const split = readSplit(strict, { split: written.split, limits, path: located.path });
  if (written.type === undefined || split === undefined) return undefined;
  const { max_parallel: maxParallel = 10, group_size: groupSize = 3, item_name: itemName } = limits;
  const dynamic: Dynamic = { type: written.type, split, maxParallel, groupSize };
  return itemName === undefined ? dynamic : { ...dynamic, itemName };
}

interface SplitInput {
  readonly split: unknown;
  readonly limits: Partial<ReturnType<typeof DynamicConfigSchema.parse>>;
  readonly path: LocatedValue['path'];
}

/** Types that `split_type` stands for, with the settings of each. */
const shortForms = {
  message: { type: 'message', settings: [] },
  json_array: { type: 'json_array', settings: [] },
  json_path: { type: 'json_path', settings: ['json_path'] },
  lines: { type: 'lines', settings: [] },
  delimiter: { type: 'delimiter', settings: ['delimiter', 'pattern'] },
  regex: { type: 'delimiter', settings: ['pattern'] },
} as const;

const splitSettings = ['delimiter', 'pattern', 'json_path'] as const;
type SplitSetting = (typeof splitSettings)[number];

function readSplit(context: ReadContext, { split, limits, path }: SplitInput): Use | undefined {
  const { split_type: short } = limits;
  const isLong = split !== undefined && split !== null;
  if (isLong && short !== undefined) {
    context.document.report.add('E_DYNAMIC_SPLIT_TWICE', {
      path: [...path, 'config', 'split_type'],
      message: 'The edge says how to split both under "split" and under "config.split_type"',
      hint: 'Remove one of them.',
    });
  }
  const form = isLong || short === undefined ? undefined : shortForms[short];
  const settings: readonly SplitSetting[] = form?.settings ?? [];
  for (const setting of splitSettings) {
    if (limits[setting] === undefined || settings.includes(setting)) continue;
    reportIneffective(context, [...path, 'config', setting], isLong);
  }
  if (isLong) return readUse(context, kinds.splitter, { value: split, path: [...path, 'split'] });
  if (form === undefined) return readShortUse(context, kinds.splitter, { type: 'message', value: {}, path });
  const givenSettings = settings.filter((setting) => limits[setting] !== undefined);
  const value = Object.fromEntries(givenSettings.map((setting) => [setting, limits[setting]]));
  const place = [...path, 'config', givenSettings[0] ?? 'split_type'];
  return readShortUse(context, kinds.splitter, { type: form.type, value, path: place });
}

/** Reports a setting that the chosen split does not have; the original engine ignores it. */
function reportIneffective({ document, shared }: ReadContext, path: Path, isLong: boolean): void {
  if (shared.compat) return;
  const setting = String(path.at(-1));
  const wanted = Object.entries(shortForms).flatMap(([name, { settings }]) =>
    settings.some((one) => one === setting) ? [name] : [],
  );
  document.report.add('E_FIELD_INVALID', {
    path,
    atKey: true,
    message: `"${setting}" has no effect here`,
    hint: isLong ? 'It belongs under "split.config".' : `Add "split_type: ${wanted[0] ?? ''}".`,
  });
}
