/**
 * The command of the command line that does the same as an operation, from which the dashboard makes the command that
 * people copy. A line consists of the words of the command and of fields of the input:
 *
 * - `<field>`: the value of the field, such as `<id>` or `<filter.action>`;
 * - `[--flag field]`: a flag with its value, left out where the field is absent. A list repeats the flag; a record becomes
 *   `NAME=VALUE`.
 *
 * A field can have a form, as in `[--timeout timeoutSeconds:seconds]`:
 *
 * - `text`: a text that the command would take for `@FILE` or `-` is read from standard input;
 * - `stdin`, `/dev/stdin`: the value is written to standard input, and the command is given `-` or that path;
 * - `NAME.EXTENSION`: the text of a workflow, or a text like `@FILE`, is written into this file first;
 * - `json`: the value as JSON;
 * - `list`: values separated by commas; `seconds`, `moment`, `days`: durations and times, the last one from now on;
 * - `filled`: left out if it is empty; `absent`: the flag is set if the field is empty or absent;
 * - `each`: one command for each value.
 *
 * `<field?yes|no>` is one of two words, and `<field?:FORM>` a value. Of several lines, the first one whose `?` and `each` fields are present counts.
 */
export type CliLine = string | readonly string[];

/** Returns the flags of the budget of a run, whose fields are below `of`. */
export const budgetFlags = (of = ''): string => `[--budget-usd ${of}budget.usd] [--budget-tokens ${of}budget.tokens]`;

/** Returns the flags that all templates of runs have. */
export const templateFlags = (of = ''): string =>
  `[--var ${of}vars] [--tag ${of}tags] ${budgetFlags(of)} [--timeout ${of}timeoutSeconds:seconds] [--priority ${of}priority]`;
