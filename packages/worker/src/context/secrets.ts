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
