import type { Boss, BossBranch } from './boss.ts';

/** The templates that a boss's own nodes are made with. Words with `$` are no names that authors can give. */

/** How a round ends: the next one, the limit, or an end that was asked for. */
export const words = { next: '$next', limit: '$limit', exit: '$exit', invalid: '$invalid' } as const;

/** Code of an early exit that is neither true nor false. */
const exitType = 'E_EARLY_EXIT_TYPE';

/** How the round goes on, by what the step has made. */
export function ending({ exitKey, maxRound }: Boss): string {
  const flag = `data[${quoted(exitKey)}]`;
  return `{% if ${flag} is defined and ${flag} is true %}${words.exit}{% elif round >= ${maxRound} %}${words.limit}{% else %}${words.next}{% endif %}`;
}

/** What the controller is told of a round. Never blank, so that it cannot be taken for the round before. */
export function result({ branches, exitKey }: Boss): string {
  const cases = branches.map((branch) => [`command == ${quoted(branch.name)}`, resultOf(branch)] as const);
  const made = choice([['command == ""', '{{ result }}'], ...cases], '');
  const empty = '(The command {{ command }} has returned nothing.)';
  const flag = `data[${quoted(exitKey)}]`;
  const wrong = `{% if ${flag} is defined and ${flag} is not true and ${flag} is not false %}\n${exitType}: ${exitKey} is neither true nor false, and counts as false.{% endif %}`;
  return `{% set made %}${made}{% endset %}{% if made | trim == "" %}${empty}{% else %}{{ made }}{% endif %}${wrong}`;
}

/** What was there before the command ran stands first among the inputs. */
const made = "{{ inputs[1:] | map(attribute='text') | join('\n\n') }}";

function resultOf({ name, builtin, result: written, observesErrors }: BossBranch): string {
  const usual = `{% if data.result is defined %}{{ data.result }}{% else %}${made}{% endif %}`;
  const told = builtin === 're_plan' ? 'plan replaced' : builtin === 'update_plan' ? 'plan updated' : usual;
  const template = written ?? told;
  return observesErrors
    ? `{% if failure %}Error in ${name}: {{ failure.message }}{% else %}${template}{% endif %}`
    : template;
}

/** How the boss stands after a round: an end that was asked for is one, unless the step says otherwise. */
export function status({ exitKey }: Boss): string {
  const flag = `data[${quoted(exitKey)}]`;
  return `{% if ${flag} is defined and ${flag} is true %}{{ data.status | default("finished") }}{% else %}{{ status }}{% endif %}`;
}

/** What is noted of a round. */
export function summary({ branches }: Boss): string {
  const cases = branches.map(({ name, summary: written }) => {
    const usual = `{% if data.summary is defined %}{{ data.summary }}{% else %}${name}: {{ result[:300] }}{% endif %}`;
    return [
      `command == ${quoted(name)}`,
      `{% if failure %}{{ result }}{% else %}${written ?? usual}{% endif %}`,
    ] as const;
  });
  return choice(cases, '{{ summary }}');
}

/** How a boss ends: by its limit, by a word of its steps or of `detect`, or by a command. */
export function final(boss: Boss, part: 'result' | 'summary' | 'status'): string {
  const { name, finishes, onMaxRound, maxRound } = boss;
  const asked = onMaxRound.action === 'ask_user';
  const reached = `The limit of ${maxRound} rounds was reached before the goal.`;
  const limit = {
    result: asked ? '{{ text }}' : (onMaxRound.result ?? reached),
    summary: onMaxRound.summary ?? `${name}: ${reached}`,
    status: 'unfinished',
  }[part];
  const exit = `{{ ${part} }}`;
  const cases = finishes.map((finish) => [`command == ${quoted(finish.name)}`, finish[part]] as const);
  return choice(
    [[`ending == "${words.limit}"`, limit], [`ending == "${words.exit}" or branch == "${words.exit}"`, exit], ...cases],
    '',
  );
}

/** What a boss that was stopped has come to: the result of its latest round, or why it stopped. */
export const cutShort = ({ name }: Boss): Readonly<Record<'result' | 'summary', string>> => ({
  result: '{{ result or stop_reason }}',
  summary: `${name}: stopped after {{ round }} round{% if round != 1 %}s{% endif %} ({{ stop_reason }})`,
});

type Case = readonly [condition: string, template: string];

function choice([first, ...others]: readonly Case[], otherwise: string): string {
  if (first === undefined) return otherwise;
  const branches = others.map(([condition, template]) => `{% elif ${condition} %}${template}`).join('');
  return `{% if ${first[0]} %}${first[1]}${branches}{% else %}${otherwise}{% endif %}`;
}

const quoted = (text: string): string => JSON.stringify(text);
