import { compileValuePath, PathError } from './value-path.ts';

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Returns arguments of a tool in which texts that start with `$` are replaced by what they select, as JSONPaths, in the arguments
 * of a call; one that selects nothing is left out.
 */
export const fillArguments = (written: Arguments, args: Arguments): Arguments =>
  Object.fromEntries(
    Object.entries(written).flatMap(([name, value]) => {
      if (!isPath(value)) return [[name, value]];
      const [selected] = compileValuePath(value).select(args);
      return selected === undefined ? [] : [[name, selected]];
    }),
  );

/** Returns the arguments that start with `$` and are no path to one value, with what is wrong with each. */
export const pathArgumentProblems = (
  written: Arguments,
): readonly { readonly name: string; readonly message: string }[] =>
  Object.entries(written).flatMap(([name, value]) => {
    const message = isPath(value) ? problemOf(value) : undefined;
    return message === undefined ? [] : [{ name, message }];
  });

const isPath = (value: unknown): value is string => typeof value === 'string' && value.startsWith('$');

function problemOf(path: string): string | undefined {
  try {
    return compileValuePath(path).isSingular ? undefined : `"${path}" may select several values.`;
  } catch (error) {
    if (error instanceof PathError) return `${error.message}.`;
    throw error;
  }
}
