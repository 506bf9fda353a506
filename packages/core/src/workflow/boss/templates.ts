import type { Boss, BossBranch } from './boss.ts';

/** Templates of the nodes that a boss is expanded into. Names with `$` cannot clash with names of authors. */

/** Branches by which a round ends: next round, limit, early exit, invalid decision. */
export const reservedBranches = { next: '$next', limit: '$limit', exit: '$exit', invalid: '$invalid' } as const;

/** Error code of an early exit value that is neither true nor false. */
const invalidExitCode = 'E_EARLY_EXIT_TYPE';

/** Returns the template that chooses how the round ends, by the output of the step. */
export function ending({ exitKey, maxRound }: Boss): string {
  const flag = `data[${quoted(exitKey)}]`;
  return `{% if ${flag} is defined and ${flag} is true %}${reservedBranches.exit}{% elif round >= ${maxRound} %}${reservedBranches.limit}{% else %}${reservedBranches.next}{% endif %}`;
}

/**
 * Returns the template of the result that the controller receives. It is never blank, so the result of an earlier round
 * cannot be mistaken for it.
 */
export function result({ branches, exitKey }: Boss): string {
  const cases = branches.map((branch) => [`command == ${quoted(branch.name)}`, resultOf(branch)] as const);
  const made = choice([['command == ""', '{{ result }}'], ...cases], '');
  const empty = '(The command {{ command }} has returned nothing.)';
  const flag = `data[${quoted(exitKey)}]`;
  const wrong = `{% if ${flag} is defined and ${flag} is not true and ${flag} is not false %}\n${invalidExitCode}: ${exitKey} is neither true nor false, and counts as false.{% endif %}`;
  return `{% set made %}${made}{% endset %}{% if made | trim == "" %}${empty}{% else %}{{ made }}{% endif %}${wrong}`;
}

/** The first input holds the variables from before the command; the others are the output of the command. */
const made = "{{ inputs[1:] | map(attribute='text') | join('\n\n') }}";

function resultOf({ name, builtin, result: written, observesErrors }: BossBranch): string {
  const usual = `{% if data.result is defined %}{{ data.result }}{% else %}${made}{% endif %}`;
  const defaultTemplate = builtin === 're_plan' ? 'plan replaced' : builtin === 'update_plan' ? 'plan updated' : usual;
  const template = written ?? defaultTemplate;
  return observesErrors
    ? `{% if failure %}Error in ${name}: {{ failure.message }}{% else %}${template}{% endif %}`
    : template;
}

/** Returns the template of the status after a round: an early exit means finished, unless the step sets a status. */
export function status({ exitKey }: Boss): string {
  const flag = `data[${quoted(exitKey)}]`;
  return `{% if ${flag} is defined and ${flag} is true %}{{ data.status | default("finished") }}{% else %}{{ status }}{% endif %}`;
}

/** Returns the template of the summary of a round. */
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

/** Returns the template of the end of a boss: by its limit, by an early exit, or by a command. */
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
    [
      [`ending == "${reservedBranches.limit}"`, limit],
      [`ending == "${reservedBranches.exit}" or branch == "${reservedBranches.exit}"`, exit],
      ...cases,
    ],
    '',
  );
}

/** Returns the templates of a boss that was stopped: the result of its latest round, or the reason. */
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
