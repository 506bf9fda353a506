import { isOwnSetting, NodeError } from '@millrace/core';
import type { SecretMask } from '@millrace/runtime';
import { createSecretMask, secretsIn } from '@millrace/runtime';
import { wholeEnvironment } from '../programs/config.ts';

/** Variables that hold no secret although secret fields may name them: their values are parts of many texts. */
const everyday =
  /^(PATH|HOME|PWD|USER|LOGNAME|SHELL|TERM|HOSTNAME|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TMP|TEMP|NODE_ENV|\w+PATH)$/i;

/** Looks up the variables that secret fields name, and the mask that hides every value that was looked up. */
export interface Secrets {
  readonly secret: (name: string) => string | undefined;
  readonly mask: SecretMask;
}

/** Creates secrets that come from `lookUp`; variables of the environment with the names of secrets are hidden from the start. */
export function createSecrets(lookUp: (name: string) => string | undefined): Secrets {
  const mask = createSecretMask(secretsIn(wholeEnvironment()));
  return {
    mask,
    secret(name) {
      const value = lookUp(name);
      if (value !== undefined && !everyday.test(name)) mask.add(value);
      return value;
    },
  };
}

/**
 * Fills a secret that the workflow names by variables with their current values in the worker's environment. `$${NAME}` is the
 * text `${NAME}`. Throws SECRET_FORBIDDEN for settings of the worker: an author who could send them to an address of the
 * workflow's own would have access to all tenants.
 */
export const resolveSecrets = (written: string, secret: (name: string) => string | undefined): string =>
  written.replaceAll(/\$?\$\{([A-Za-z0-9_]+)\}/g, (reference, name: string) => {
    if (reference.startsWith('$$')) return reference.slice(1);
    if (isOwnSetting(name)) {
      const message = `The variable ${name} is a setting of the worker itself, which no workflow can use.`;
      throw new NodeError('SECRET_FORBIDDEN', message);
    }
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
