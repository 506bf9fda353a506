import { z } from 'zod';

/** Description of an environment variable, from which the reference of the environment is generated. */
export interface VariableDescription {
  /** Sentences, in Markdown; links start at docs/reference. */
  readonly description: string;
  readonly readBy: 'all commands' | 'commands over HTTP' | 'processes with Redis' | 'workers' | 'servers' | 'both';
  /** Form of its values, where the schema does not show it. */
  readonly format?: string;
  /** Effect of its absence, in Markdown, where the schema has no default. */
  readonly otherwise?: string;
}

/** Returns the schema of a variable; an empty value counts as absent. */
export const variable = <T extends z.ZodType>(schema: T, about: VariableDescription) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema).meta({ ...about });

/** Returns the schema of a whole number within limits. */
export const wholeNumber = (least: number, most: number) => {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.coerce.number(error).int(error).min(least, error).max(most, error);
};

/** Returns the names in a comma-separated list. */
export const namesIn = (list: string): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
