/** A problem that a schema found in a value: an issue of zod, or what a validator keeps of it. */
interface SchemaIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** Keys that the schema does not know, of an issue about unknown keys. */
  readonly keys?: readonly string[] | undefined;
}

/** The place of a problem in a value, and its description. */
export interface BoundedIssue {
  readonly path: readonly string[];
  readonly message: string;
}

/** Maximum number of problems that are described. */
const maxIssues = 20;
/** Maximum number of unknown keys that a description names. */
const maxKeys = 10;
/** Maximum number of characters of a key that is repeated. */
const maxKeyChars = 60;
/** Maximum number of keys of a place. */
const maxPathLength = 20;
const maxMessageChars = 500;

/**
 * Returns the problems of a value that somebody else sent, for an answer or a message. Its size does not depend on that of the
 * value: a value with 100,000 unknown keys has as many problems, and each repeats text of the value.
 */
export function boundedIssues(issues: readonly SchemaIssue[]): readonly BoundedIssue[] {
  const shown = issues.slice(0, maxIssues).map(({ path, message, keys }) => ({
    path: path.slice(0, maxPathLength).map((key) => shortened(String(key), maxKeyChars)),
    message: keys === undefined || keys.length === 0 ? shortened(message, maxMessageChars) : unknownKeys(keys),
  }));
  const more = issues.length - shown.length;
  return more === 0 ? shown : [...shown, { path: [], message: `has ${more} more problems` }];
}

/** Returns problems as one sentence without its full stop, each with its place. */
export const describeIssues = (issues: readonly SchemaIssue[]): string =>
  boundedIssues(issues)
    .map(({ path, message }) => `${path.length === 0 ? '' : `${path.join('.')}: `}${message}`)
    .join('; ');

function unknownKeys(keys: readonly string[]): string {
  const names = keys.slice(0, maxKeys).map((key) => JSON.stringify(shortened(key, maxKeyChars)));
  const more = keys.length - names.length;
  return `Unrecognized key${keys.length === 1 ? '' : 's'}: ${names.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}

const shortened = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}…` : text);
