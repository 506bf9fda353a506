import { isMapping } from '../document/mapping.ts';
import type { LocatedValue, ReadContext } from '../elements/read-context.ts';
import { readBySchema } from '../elements/read-context.ts';
import { BossMaxRoundSchema, BossStepSchema } from '../schema/boss-schemas.ts';
import type { BossStep } from './boss.ts';
import type { BossContext } from './sections.ts';
import { asTemplate, readBossPart, reportBossProblem, section } from './sections.ts';

const defaultRounds = 30;

/** Reads the maximum number of rounds. */
export function readMaxRound(context: ReadContext, config: LocatedValue): number {
  const [one, other] = [section(config, 'max_round'), section(config, 'max_rounds')];
  const written = [one, other].filter(({ value }) => value !== undefined && value !== null);
  for (const { value, path } of written) {
    if (Number.isInteger(value) && Number(value) >= 1) continue;
    const message = 'The number of rounds must be a whole number of at least 1';
    reportBossProblem(context, 'E_BOSS_MAX_ROUND', { path, message });
    return defaultRounds;
  }
  if (written.length === 2 && one.value !== other.value) {
    const message = '"max_round" and "max_rounds" are two spellings of one field, with different values';
    reportBossProblem(context, 'E_BOSS_MAX_ROUND', { path: other.path, message, hint: 'Remove one of them.' });
  }
  return Number(written[0]?.value ?? defaultRounds);
}

/** Reads the action after the last round. */
export function readOnMaxRound(context: ReadContext, config: LocatedValue) {
  const located = section(config, 'on_max_round');
  const read = readBySchema(context, BossMaxRoundSchema, { ...located, value: located.value ?? {} })?.value;
  const { action = 'return', result, summary } = read ?? {};
  return { action, ...(result ? { result } : {}), ...(summary ? { summary } : {}) };
}

/** Steps of a round if the author sets none. */
const defaultSteps = ['controller', 'executor', 'memory_writing', 'memory_reading'];
/** Parts of the whole boss in the nested spelling; their order is fixed. */
const fullTopology = ['memory_reading', 'planner', 'ctrl_ex_mem'];

/** Reads the steps of a round after the executor. */
export function readSteps(
  context: ReadContext,
  config: LocatedValue,
  { around: enclosing, writes }: { around: BossContext; writes: boolean },
) {
  const top = {
    value: isMapping(config.value) ? config.value.topology : undefined,
    path: [...config.path, 'topology'],
  };
  const isWhole = namesIn(top.value)?.join() === fullTopology.join();
  const located = isWhole
    ? section({ ...config, value: { ...asFields(config.value), topology: undefined } }, 'topology')
    : section(config, 'topology');
  const names = located.value === undefined || located.value === null ? defaultSteps : namesIn(located.value);
  const steps = section(config, 'steps');
  const own = asFields(steps.value);
  const [first, second, ...rest] = names ?? [];
  const known = ['memory_writing', 'memory_reading', ...Object.keys(own)];
  const isValid =
    first === 'controller' &&
    second === 'executor' &&
    new Set(rest).size === rest.length &&
    rest.every((name) => known.includes(name));
  if (!isValid) {
    const message = `A round must be controller, executor, and then any of: ${known.join(', ')}`;
    const hint = 'Further steps are declared under "steps".';
    reportBossProblem(context, 'E_BOSS_TOPOLOGY', { path: located.path, message, hint });
    return [];
  }
  return rest.flatMap((name): BossStep[] => {
    if (name === 'memory_writing' && !writes) return [];
    if (name === 'memory_writing' || name === 'memory_reading') return [{ type: name }];
    return readStep(context, enclosing, { name, placed: { value: own[name], path: [...steps.path, name] } });
  });
}

function readStep(
  context: ReadContext,
  enclosing: BossContext,
  { name, placed: located }: { name: string; placed: LocatedValue },
): BossStep[] {
  const written = readBySchema(context, BossStepSchema, located)?.value;
  const read = readBossPart(enclosing, located, `steps/${name}`);
  if (written === undefined || read === undefined) return [];
  const templates = (fields: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, asTemplate(value)]));
  const output = written.output ? templates(written.output) : { [name]: '{{ text }}' };
  return [
    { type: 'own', name, node: read.node, output, ...(written.input ? { input: templates(written.input) } : {}) },
  ];
}

/** Returns the names of steps; an entry of the nested spelling has its name in `flow`. */
function namesIn(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.map((entry: unknown) => toSnakeCase(String(isMapping(entry) ? entry.flow : entry)));
}

/** Returns the name in snake case: `MemoryWriting` and `memory_writing` are the same step. */
const toSnakeCase = (name: string): string =>
  /^(Controller|Executor|Memory(Reading|Writing)|Planner|CtrlExMem)$/.test(name)
    ? name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
    : name;

const asFields = (value: unknown): Readonly<Record<string, unknown>> => (isMapping(value) ? value : {});
