import { NodeError } from '@millrace/core';

/**
 * Settings of the worker itself: Redis, the installation's secret and the keys of object storage. An author who could
 * send them to an address of the workflow's own would have access to all tenants.
 */
const ownSetting =
  /^(MILLRACE_\w*|REDIS_URL|REDIS_SENTINEL_PASSWORD|AWS_(ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN))$/;

/** Fills a secret that the workflow names by variables with their current values in the worker's environment. */
export const resolveSecrets = (written: string, secret: (name: string) => string | undefined): string =>
  written.replaceAll(/\$\{([A-Za-z0-9_]+)\}/g, (_all, name: string) => {
    if (ownSetting.test(name)) {
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
