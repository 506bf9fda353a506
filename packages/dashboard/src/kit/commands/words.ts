/** Returns the words of an option; none without a value. */
export const option = (name: string, value: string | number | undefined): readonly string[] =>
  value === undefined ? [] : [`--${name}`, String(value)];

/** Options whose values are texts, and the standard input that one of them reads. */
interface TextOptions {
  readonly words: readonly string[];
  readonly stdin?: string;
}

/** Returns the option of a text. A text that commands would take for a file, or for standard input, is read from the latter. */
export const textOption = (name: string, text: string | undefined): TextOptions =>
  text !== undefined && isReference(text) ? { words: [`--${name}`, '-'], stdin: text } : { words: option(name, text) };

/** Returns whether commands read a text from elsewhere: `@FILE` and `-`. */
export const isReference = (text: string): boolean => text === '-' || text.startsWith('@');

/** Returns an option for each file, as in `--attach ID`. */
export const attachedWords = (ids: readonly string[] | undefined): readonly string[] =>
  (ids ?? []).flatMap((id) => option('attach', id));

/** Returns an option for each entry, as in `--var NAME=VALUE`. Values are JSON, except texts that are none. */
export const assignments = (name: string, values: Readonly<Record<string, unknown>> = {}): readonly string[] =>
  Object.entries(values).flatMap(([key, value]) => [
    `--${name}`,
    `${key}=${typeof value === 'string' && !isJson(value) ? value : JSON.stringify(value)}`,
  ]);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

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
  readonly attachments?: readonly string[] | undefined;
  readonly vars?: Readonly<Record<string, unknown>> | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
  readonly budget?: Budget | null | undefined;
  readonly timeoutSeconds?: number | null | undefined;
  readonly ttlSeconds?: number | null | undefined;
  readonly priority?: number | null | undefined;
}

/** Returns the options of a template of runs. */
export const templateWords = ({
  attachments,
  vars,
  tags,
  budget,
  timeoutSeconds,
  ttlSeconds,
  priority,
}: Template): readonly string[] => [
  ...attachedWords(attachments),
  ...assignments('var', vars ?? {}),
  ...(tags ?? []).flatMap((tag) => ['--tag', tag]),
  ...budgetWords(budget),
  ...option('timeout', timeoutSeconds == null ? undefined : `${timeoutSeconds}s`),
  ...option('ttl', ttlSeconds == null ? undefined : `${ttlSeconds}s`),
  ...option('priority', priority ?? undefined),
];

/** Returns a workflow as commands name it, and the file that is written first for a text. */
export const workflowWords = (workflow: Template['workflow'], name = 'workflow.yaml') =>
  typeof workflow === 'string' ? { word: workflow } : { word: name, file: { name, text: workflow.yaml } };
