/** Reads one parameter of an address: returns undefined for a value that is absent or malformed. */
type Parameter<T> = (value: unknown) => T | undefined;

/** What an address names, by its parameters. */
export type SearchOf<Parse extends (search: Query) => unknown> = ReturnType<Parse>;

type Query = Readonly<Record<string, unknown>>;

/** Makes the parser of the parameters of a screen; what is malformed is left out. */
export const searchOf =
  <P extends Readonly<Record<string, Parameter<unknown>>>>(parameters: P) =>
  (search: Query): { readonly [K in keyof P]?: NonNullable<ReturnType<P[K]>> | undefined } =>
    Object.fromEntries(
      Object.entries(parameters).flatMap(([name, read]) => {
        const value = read(search[name]);
        return value === undefined ? [] : [[name, value]];
      }),
    ) as { readonly [K in keyof P]?: NonNullable<ReturnType<P[K]>> }; // each parameter returns its own type

/** A text that is not empty, such as the id of a node, which may look like a number. */
export const text: Parameter<string> = (value) =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined;

/** Several texts. */
export const texts: Parameter<readonly string[]> = (value) => (Array.isArray(value) ? value.map(String) : undefined);

/** A text of a form. */
export const matching =
  (form: RegExp): Parameter<string> =>
  (value) =>
    typeof value === 'string' && form.test(value) ? value : undefined;

/** One of some words. */
export const oneOf =
  <const T extends string>(...values: readonly T[]): Parameter<T> =>
  (value) =>
    values.find((word) => word === value);

/** A whole number from 0. */
export const count: Parameter<number> = (value) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;

/** What is set or absent. */
export const flag: Parameter<true> = (value) => (value === true ? true : undefined);

/** Id of an activation. */
export const activationId = matching(/^a\d{1,15}$/);

/** Id of an event of a journal. */
export const eventId = matching(/^\d+-\d+$/);
