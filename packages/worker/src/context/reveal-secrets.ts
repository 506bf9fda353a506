import { NodeError } from '@millrace/core';

/** A secret that the workflow names by variables, with their values as they are now where the worker runs. */
export const resolveSecrets = (written: string, secret: (name: string) => string | undefined): string =>
  written.replaceAll(/\$\{([A-Za-z0-9_]+)\}/g, (_all, name: string) => {
    const value = secret(name);
    if (value === undefined)
      throw new NodeError('SECRET_MISSING', `The variable ${name} is not set where the worker runs.`);
    return value;
  });

/** The key of an API as it is now where the worker runs: the one that is written, or else that of the first variable that is set. */
export function apiKeyFor(
  { secret }: { readonly secret: (name: string) => string | undefined },
  variables: readonly string[],
  written: string | undefined,
): string | undefined {
  if (written !== undefined) return resolveSecrets(written, secret);
  return variables.map(secret).find((value) => value !== undefined && value !== '');
}
