/** Returns the words of an option; none without a value. */
export const option = (name: string, value: string | number | undefined): readonly string[] =>
  value === undefined ? [] : [`--${name}`, String(value)];

/** Returns an option for each entry, as in `--var NAME=VALUE`. Values that are no texts are JSON. */
export const assignments = (name: string, values: Readonly<Record<string, unknown>> = {}): readonly string[] =>
  Object.entries(values).flatMap(([key, value]) => [
    `--${name}`,
    `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  ]);

/** Limits of a run, as requests have them. */
interface Budget {
  readonly usd?: number | undefined;
  readonly tokens?: number | undefined;
}

/** Returns the options of a budget. */
export const budgetWords = (budget: Budget | null | undefined): readonly string[] => [
  ...option('budget-usd', budget?.usd),
  ...option('budget-tokens', budget?.tokens),
];

/** Template of runs, as requests have it. */
interface Template {
  readonly workflow: string | { readonly yaml: string };
  readonly vars?: Readonly<Record<string, unknown>> | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
  readonly budget?: Budget | null | undefined;
  readonly timeoutSeconds?: number | null | undefined;
  readonly priority?: number | null | undefined;
}

/** Returns the options of a template of runs. */
export const templateWords = ({ vars, tags, budget, timeoutSeconds, priority }: Template): readonly string[] => [
  ...assignments('var', vars ?? {}),
  ...(tags ?? []).flatMap((tag) => ['--tag', tag]),
  ...budgetWords(budget),
  ...option('timeout', timeoutSeconds == null ? undefined : `${timeoutSeconds}s`),
  ...option('priority', priority ?? undefined),
];

/** Returns a workflow as commands name it, and the file that is written first for a text. */
export const workflowWords = (workflow: Template['workflow'], name = 'workflow.yaml') =>
  typeof workflow === 'string' ? { word: workflow } : { word: name, file: { name, text: workflow.yaml } };
