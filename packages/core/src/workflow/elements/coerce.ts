import { isMapping } from '../document/mapping.ts';

/**
 * Conversion of a field as in the original engine, which uses Python's `int()`, `float()` and truth where this engine
 * requires the right type. It converts no other fields: `trigger: "yes"` is an error there as well. A value that cannot
 * be converted is left for the schema to report.
 */
type Conversion = 'int' | 'float' | 'truth';
type Conversions = Readonly<Record<string, Conversion>>;

const NODE_CONFIGS: ReadonlyMap<string, Conversions> = new Map<string, Conversions>([
  ['loop_counter', { max_iterations: 'int', reset_on_emit: 'truth' }],
  ['loop_timer', { max_duration: 'float', reset_on_emit: 'truth', passthrough: 'truth' }],
]);

/** Returns the configuration of a node of that type, with the conversions of the original engine. */
export const coerceConfig = (type: string, config: unknown): unknown =>
  convertFields(config, NODE_CONFIGS.get(type) ?? {});

/** Returns a node as written, with the same conversions. */
export const coerceNode = (node: unknown): unknown =>
  convertFields(node, { context_window: 'int', log_output: 'truth' });

/** Returns the `config` of a dynamic edge, with the same conversions. */
export const coerceDynamicConfig = (config: unknown): unknown =>
  convertFields(config, { max_parallel: 'int', group_size: 'int' });

function convertFields(value: unknown, conversions: Conversions): unknown {
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).map(([key, field]) => {
    const conversion = Object.hasOwn(conversions, key) ? conversions[key] : undefined;
    return [key, conversion === undefined ? field : CONVERT[conversion](field)];
  });
  return Object.fromEntries(entries);
}

const CONVERT: Readonly<Record<Conversion, (value: unknown) => unknown>> = {
  int(value) {
    if (typeof value === 'boolean') return Number(value);
    if (typeof value === 'number') return Number.isFinite(value) ? Math.trunc(value) : value;
    return typeof value === 'string' && /^\s*[-+]?\d+(?:_\d+)*\s*$/.test(value)
      ? Number(value.replaceAll('_', ''))
      : value;
  },
  float(value) {
    if (typeof value === 'boolean') return Number(value);
    const decimal = /^\s*[-+]?(?:\d+(?:_\d+)*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*$/;
    return typeof value === 'string' && decimal.test(value) ? Number(value.replaceAll('_', '')) : value;
  },
  truth(value) {
    if (Array.isArray(value)) return value.length > 0;
    return isMapping(value) ? Object.keys(value).length > 0 : Boolean(value);
  },
};
