import { isMapping } from '../document/mapping.ts';
import type { Path } from '../document/path.ts';
import type { LocatedValue, ReadContext } from '../elements/read-context.ts';
import { readConfigured } from '../elements/use.ts';
import type { BossCommand } from './branches.ts';
import { reportBossProblem, section } from './sections.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Fields that the schema of controllers requires besides those that are checked. */
const requiredFields = { provider: 'scripted', name: 'boss' };

/**
 * Reads the controller of a boss as the configuration of a controller node. Its fields come from three places in the
 * document, and each problem is reported at the place of its field.
 */
export function readController(
  context: ReadContext,
  config: LocatedValue,
  commands: Readonly<Record<string, BossCommand>>,
): unknown {
  const definition = context.shared.vocabulary.nodes.get('controller');
  const located = section(config, 'controller');
  if (definition === undefined) return {};
  if (!isMapping(located.value)) {
    const message = 'The boss has no controller';
    const hint = 'Write `controller` with a `config` that names `provider` and `name`.';
    reportBossProblem(context, 'E_FIELD_MISSING', { path: located.path, message, hint });
    return {};
  }
  const { config: agent, ...written } = located.value;
  const controllerFields = withoutInvalid(context, written, located.path);
  const detect = section(config, 'detect');
  const detectField: Fields = detect.value === undefined || detect.value === null ? {} : { detect: detect.value };
  if (Object.keys(commands).length === 0) return {};
  const own: Fields = isMapping(agent) ? agent : {};
  readConfigured(context, definition, { value: { ...own, commands }, path: [...located.path, 'config'] });
  readConfigured(context, definition, {
    value: { ...requiredFields, commands, ...controllerFields },
    path: located.path,
  });
  const prompts = { first_prompt: '{{ goal }}', next_prompt: '{{ result }}' };
  const read = definition.config.safeParse({ ...prompts, ...own, ...controllerFields, ...detectField, commands });
  checkDetect(context, detect, { check: () => (read.success ? (definition.check?.(read.data) ?? []) : []), read });
  return read.success ? read.data : {};
}

/** Returns the fields without those that have error codes of their own and are invalid. */
function withoutInvalid(context: ReadContext, fields: Fields, path: Path): Fields {
  const { decision, history, ...rest } = fields;
  const isDecisionValid = decision === undefined || decision === 'tools' || decision === 'json';
  if (!isDecisionValid) {
    const message = 'The decision of a controller must be `tools` or `json`';
    reportBossProblem(context, 'E_BOSS_DECISION', { path: [...path, 'decision'], message });
  }
  const isHistoryValid = history === undefined || isHistory(history);
  if (!isHistoryValid) {
    const message = 'The history must be `first_k` and `last_k`, whole numbers of rounds that are 0 or more';
    reportBossProblem(context, 'E_BOSS_HISTORY', { path: [...path, 'history'], message });
  }
  return {
    ...rest,
    ...(decision === undefined || !isDecisionValid ? {} : { decision }),
    ...(history === undefined || !isHistoryValid ? {} : { history }),
  };
}

const isHistory = (value: unknown): boolean =>
  isMapping(value) &&
  Object.entries(value).every(
    ([key, count]) => (key === 'first_k' || key === 'last_k') && Number.isInteger(count) && Number(count) >= 0,
  );

interface DetectCheck {
  readonly read: { readonly success: boolean };
  check(): readonly { readonly code: string; readonly message: string; readonly hint?: string }[];
}

function checkDetect(context: ReadContext, { value, path }: LocatedValue, { check, read }: DetectCheck): void {
  if (value === undefined || value === null) return;
  const name = isMapping(value) && isMapping(value.config) ? value.config.name : undefined;
  const isWritten = isMapping(value) && value.type === 'function' && typeof name === 'string' && name !== '';
  const unknown = read.success ? check().find(({ code }) => code === 'E_FUNCTION_UNKNOWN') : undefined;
  if (isWritten && unknown === undefined) return;
  reportBossProblem(context, 'E_BOSS_FUNCTION', {
    path: isWritten ? [...path, 'config', 'name'] : path,
    message: unknown?.message ?? '"detect" names no function',
    hint: unknown?.hint ?? 'Write `type: function` and `config` with the `name` of a registered function.',
  });
}
