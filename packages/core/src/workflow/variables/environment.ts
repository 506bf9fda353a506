import { mapEntries } from '../document/mapping.ts';

/**
 * The environment of the process that reads a workflow, for the texts of the workflow. These are stored and sent to models, so
 * it answers neither for secrets nor for names that every machine has and no author means.
 */
export interface Environment {
  /** Looks up a variable; `asked` if a variable of the workflow with the same name asks for it. */
  find(name: string, asked: boolean): FoundVariable;
}

/** A value of the environment, or the reason why there is none: the variable is not set, is a secret, or belongs to the machine. */
export type FoundVariable =
  | { readonly type: 'value'; readonly value: string }
  | { readonly type: 'missing' | 'secret' | 'machine' };

/**
 * Settings of Millrace's own processes, and of the programs and libraries beside them. Whoever knows their values may have access to
 * the data of all tenants. Prefixes cover settings that later versions add, and those of other clients of the same Redis.
 */
const ownSettings =
  /^(?:(?:MILLRACE|OTEL|REDIS|REDISCLI|VALKEYCLI)_\w+|AWS_(?:ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN|ROLE_\w+|WEB_IDENTITY_TOKEN_FILE|CONTAINER_\w+|ENDPOINT_URL\w*))$/i;

/** Returns whether a variable is a setting of Millrace's own processes. */
export const isOwnSetting = (name: string): boolean => ownSettings.test(name);

const machineName =
  /^(?:PATH|HOME|USER|LOGNAME|PWD|OLDPWD|SHELL|SHLVL|HOSTNAME|TMPDIR|LANG|LC_\w+|TERM|SSH_\w+|XDG_\w+|npm_\w+|NODE_\w+)$/;

const addressWithPassword = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]*:[^/?#\s]*@/i;

/** Shorter values of secrets may be those of other variables, too. */
const shortestSecret = 8;
/** Shorter ones may be parts of any text. */
const shortestPart = 16;

/** Returns the environment with these variables. Those in `allowed` have been named by the person who starts the process. */
export function createEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
  allowed: readonly string[] = [],
): Environment {
  let secrets: readonly string[] | undefined;
  const secretValues = (): readonly string[] =>
    Object.entries(variables).flatMap(([name, value = '']) =>
      value.length >= shortestSecret && isSecret(name, value) ? [value] : [],
    );
  return {
    find(name, asked) {
      const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
      if (value === undefined) return { type: 'missing' };
      if (isOwnSetting(name)) return { type: 'secret' };
      if (allowed.includes(name)) return { type: 'value', value };
      secrets ??= secretValues();
      if (isSecret(name, value) || secrets.some((secret) => reveals(value, secret))) return { type: 'secret' };
      return machineName.test(name) && !asked ? { type: 'machine' } : { type: 'value', value };
    },
  };
}

const isSecret = (name: string, value: string): boolean =>
  isSecretName(name) || isOwnSetting(name) || addressWithPassword.test(value);

const reveals = (value: string, secret: string): boolean =>
  value === secret || (secret.length >= shortestPart && value.includes(secret));

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
