import { delimiter, isAbsolute, resolve } from 'node:path';
import { isOwnSetting } from '@millrace/core';

/** The value of a variable that a secret field names, from this worker's own environment, at the moment of the call. */
export const secretFromEnvironment = (name: string): string | undefined =>
  Object.hasOwn(process.env, name) ? process.env[name] : undefined;

/**
 * Returns the folders of PATH. Empty and relative ones are left out: they mean the working directory of whoever looks, which
 * can be a workspace.
 */
export const foldersOf = ({ PATH = '' }: { readonly PATH?: string }): readonly string[] =>
  PATH.split(delimiter).flatMap((folder) => (isAbsolute(folder) ? [resolve(folder)] : []));

/** Environment of the programs of nodes: this worker's paths of programs and of people's files, and its language. */
export function programEnvironment(): Readonly<Record<string, string>> {
  const { PATH = '/usr/local/bin:/usr/bin:/bin', HOME = '/', LANG = 'C.UTF-8' } = process.env;
  return { PATH: foldersOf({ PATH }).join(delimiter), HOME, LANG };
}

/** Environment of Python functions: that of programs, and the variables of this process that are named. */
export const functionEnvironment = (names: readonly string[]): Readonly<Record<string, string>> => ({
  ...programEnvironment(),
  ...Object.fromEntries(
    names.flatMap((name) => {
      const value = secretFromEnvironment(name);
      return value === undefined ? [] : [[name, value]];
    }),
  ),
});

/** This worker's environment without its own settings, for commands whose author says that they get it. */
export const inheritableEnvironment = (): Record<string, string> =>
  Object.fromEntries(Object.entries(wholeEnvironment()).filter(([name]) => !isOwnSetting(name)));

/** All of this worker's environment. */
export const wholeEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
