import type { z } from 'zod';
import type { Issue } from '../../model/errors.ts';
import type { SourceFile } from '../document/document.ts';
import { readDocument } from '../document/document.ts';
import { isMapping, mapEntries } from '../document/mapping.ts';
import type { ProblemReporter, SourceLocator } from '../document/report.ts';
import { ReadingEnded } from '../document/report.ts';
import { Timestamp } from '../document/scalars.ts';
import { didYouMean } from '../document/suggest.ts';
import { schemaProblems } from './schema-problems.ts';
import { unknownKeys } from './unknown-keys.ts';

/** A document that its schema accepts, with the positions of its values. */
export interface TypedDocument<T> extends SourceLocator {
  readonly value: T;
  readonly report: ProblemReporter;
}

/**
 * Reads a YAML document other than a workflow by its schema; undefined if it is invalid, with the reasons among the issues.
 * Dates are texts, and a key that the schema does not know is an error.
 */
export function readBySchema<T>(
  source: SourceFile,
  schema: z.ZodType<T>,
  issues: Issue[],
): TypedDocument<T> | undefined {
  try {
    const document = readDocument(source, issues);
    if (document === undefined) return undefined;
    const { file, at, report } = document;
    const value = withoutTimestamps(document.value);
    for (const { path, known } of unknownKeys(schema, value, [])) {
      const key = String(path.at(-1));
      const hint = didYouMean(key, known) ?? `Known keys: ${known.join(', ')}.`;
      report.add('E_KEY_UNKNOWN', { path, atKey: true, message: `"${key}" is not known here`, hint });
    }
    const { data, error } = schema.safeParse(value);
    for (const { code, ...problem } of schemaProblems(error?.issues ?? [], value, [])) report.add(code, problem);
    return data === undefined || report.failed() ? undefined : { value: data, file, at, report };
  } catch (error) {
    if (error instanceof ReadingEnded) return undefined;
    throw error;
  }
}

function withoutTimestamps(value: unknown): unknown {
  if (value instanceof Timestamp) return value.text;
  if (Array.isArray(value)) return value.map(withoutTimestamps);
  return isMapping(value) ? mapEntries(value, (_key, entry) => withoutTimestamps(entry)) : value;
}
