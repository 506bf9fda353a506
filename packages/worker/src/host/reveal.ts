import { NodeError } from '@millrace/core';

/** A secret that the workflow names by variables, with their values as they are now where the worker runs. */
export const reveal = (written: string, secret: (name: string) => string | undefined): string =>
  written.replaceAll(/\$\{([A-Za-z0-9_]+)\}/g, (_all, name: string) => {
    const value = secret(name);
    if (value === undefined)
      throw new NodeError('SECRET_MISSING', `The variable ${name} is not set where the worker runs.`);
    return value;
  });
