import { NodeError } from '@millrace/core';

/** Fills a secret that the workflow names by variables with their current values in the worker's environment. */
export const resolveSecrets = (written: string, secret: (name: string) => string | undefined): string =>
  written.replaceAll(/\$\{([A-Za-z0-9_]+)\}/g, (_all, name: string) => {
    const value = secret(name);
    if (value === undefined)
      throw new NodeError('SECRET_MISSING', `The variable ${name} is not set where the worker runs.`);
    return value;
  });

/** Returns the key of an API: the one in the workflow, or else that of the first variable that is set where the worker runs. */
export function apiKeyFor(
  { secret }: { readonly secret: (name: string) => string | undefined },
  variables: readonly string[],
  written: string | undefined,
): string | undefined {
  if (written !== undefined) return resolveSecrets(written, secret);
  return variables.map(secret).find((value) => value !== undefined && value !== '');
}
