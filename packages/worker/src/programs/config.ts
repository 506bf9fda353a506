/** The value of a variable that a secret field names, from this worker's own environment, at the moment of the call. */
export const secretFromEnvironment = (name: string): string | undefined =>
  Object.hasOwn(process.env, name) ? process.env[name] : undefined;

/** Environment of the programs of nodes: this worker's paths of programs and of people's files, and its language. */
export function programEnvironment(): Readonly<Record<string, string>> {
  const { PATH, HOME, LANG } = process.env;
  return { PATH: PATH ?? '/usr/local/bin:/usr/bin:/bin', HOME: HOME ?? '/', LANG: LANG ?? 'C.UTF-8' };
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

/** All of this worker's environment, for commands whose author says that they get it. */
export const wholeEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
