import { mapEntries } from '../document/mapping.ts';

/** Matches names of variables that hold secrets, such as `OPENAI_API_KEY`, `PGPASSWORD`, `GITHUB_TOKEN_2` and `SENTRY_DSN`. */
const secretName =
  /(?:(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRETS?|CREDENTIALS?|ACCESS_KEY_ID|PASSPHRASE|PASS|PAT|DSN|SECRET_KEY_BASE|CONNECTION_STRING)|_PWD|PASSWORD|PASSWD)(?:_?\d+)?$/i;

/** Returns whether a variable holds a secret, as far as its name says. */
export const isSecretName = (name: string): boolean => secretName.test(name);

/**
 * Returns variables for people who may read a run: references such as `${API_KEY}` in place of the values of variables that
 * are used in secret fields, or have the name of a secret.
 */
export const withoutSecrets = (
  variables: Readonly<Record<string, unknown>>,
  usedInSecrets: readonly string[],
): Readonly<Record<string, unknown>> =>
  mapEntries(variables, (name, value) => (usedInSecrets.includes(name) || isSecretName(name) ? `\${${name}}` : value));

/** Leaves out variables that are references to themselves, as secrets are kept: they need a value of the caller. */
export const withoutReferences = (variables: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(variables).filter(([name, value]) => value !== `\${${name}}`));
