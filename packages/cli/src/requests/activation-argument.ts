import { InvalidArgumentError } from 'commander';

/** Parses the id of an activation. */
export function activationArgument(text: string): string {
  if (!/^a\d+$/.test(text))
    throw new InvalidArgumentError('It must be an activation, such as a7; `millrace journal RUN` lists them.');
  return text;
}
