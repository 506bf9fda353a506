import { MAX_ISSUES } from '../../definitions/workflow-limits.ts';
import type { Issue, Position } from '../../model/errors.ts';
import type { IssueCode } from './issue-codes.ts';
import type { Path } from './path.ts';
import { formatPath } from './path.ts';

/** A problem at a path of a document. */
export interface DocumentProblem {
  readonly path: Path;
  readonly message: string;
  readonly hint?: string | undefined;
  /** The problem is reported at the key rather than at its value. */
  readonly atKey?: true;
}

/** Reports the problems of one file with their positions. */
export interface ProblemReporter {
  /** An `E_` code is an error, a `W_` code a warning. */
  add(code: IssueCode, problem: DocumentProblem): void;
  /** Adds a problem that a definition of the catalogue found, with its own code. */
  addForeign(code: string, severity: Issue['severity'], problem: DocumentProblem): void;
  /** Returns whether any file of the workflow has an error so far. */
  failed(): boolean;
}

/** The file of a report, and the positions in it. */
export interface SourceLocator {
  readonly file: string;
  at(path: Path, part: 'key' | 'value'): Position;
}

/**
 * Thrown when a workflow has an error after which further ones would not help; all found errors are among the issues.
 */
export class ReadingEnded extends Error {}

/**
 * Returns a reporter that appends to `issues`, which the files of one workflow share. Warnings beyond the limit are
 * dropped; one error beyond the limit ends the reading with {@link ReadingEnded}.
 */
export function createProblemReporter(document: SourceLocator, issues: Issue[]): ProblemReporter {
  const addForeign: ProblemReporter['addForeign'] = (code, severity, { path, message, hint, atKey }) => {
    const count = issues.filter((issue) => issue.severity === severity).length;
    if (count > MAX_ISSUES) return;
    if (count === MAX_ISSUES) {
      issues.push({ ...limitReached[severity], severity, path: '', file: document.file, line: 1, column: 1 });
      if (severity === 'error') throw new ReadingEnded();
      return;
    }
    const { line, column } = document.at(path, atKey ? 'key' : 'value');
    const issue: Issue = { code, severity, path: formatPath(path), message, file: document.file, line, column };
    issues.push(hint === undefined ? issue : { ...issue, hint });
  };
  return {
    addForeign,
    add: (code, problem) => addForeign(code, code.startsWith('E_') ? 'error' : 'warning', problem),
    failed: () => issues.some(({ severity }) => severity === 'error'),
  };
}

const limitReached = {
  error: {
    code: 'E_ERRORS_LIMIT',
    message: `The workflow has more than ${MAX_ISSUES} errors; the rest of it was not read`,
    hint: 'Correct these errors, and check the workflow again.',
  },
  warning: {
    code: 'W_WARNINGS_LIMIT',
    message: `There are more than ${MAX_ISSUES} warnings; the others are not shown`,
  },
} as const;
