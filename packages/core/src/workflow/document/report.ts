import { MAX_ISSUES } from '../../definitions/workflow-limits.ts';
import type { Issue, Position } from '../../model/errors.ts';
import type { IssueCode } from './issue-codes.ts';
import type { Path } from './path.ts';
import { formatPath } from './path.ts';

/** A problem as the code that finds it sees it: by path, not by line. */
export interface DocumentProblem {
  readonly path: Path;
  readonly message: string;
  readonly hint?: string | undefined;
  /** Point at the key rather than at its value. */
  readonly atKey?: true;
}

/** Takes the problems of one file and gives them their place in it. */
export interface ProblemReporter {
  /** An `E_` code is an error, a `W_` code a warning. */
  add(code: IssueCode, problem: DocumentProblem): void;
  /** A problem that a definition of the catalogue found, with its own code. */
  addForeign(code: string, severity: Issue['severity'], problem: DocumentProblem): void;
  /** Whether this file or one it includes has an error. */
  failed(): boolean;
}

/** What a report needs of the file it is about. */
export interface SourceLocator {
  readonly file: string;
  at(path: Path, part: 'key' | 'value'): Position;
}

/** Thrown when a workflow has so many errors that reading on would help nobody; they are all among the issues. */
export class TooManyErrors extends Error {}

/**
 * A report that appends to `issues`, which the files of one workflow share. Of warnings it takes so many; the error that
 * is one too many ends the reading by {@link TooManyErrors}.
 */
export function createProblemReporter(document: SourceLocator, issues: Issue[]): ProblemReporter {
  const addForeign: ProblemReporter['addForeign'] = (code, severity, { path, message, hint, atKey }) => {
    const count = issues.filter((issue) => issue.severity === severity).length;
    if (count > MAX_ISSUES) return;
    if (count === MAX_ISSUES) {
      issues.push({ ...limitReached[severity], severity, path: '', file: document.file, line: 1, column: 1 });
      if (severity === 'error') throw new TooManyErrors();
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
    hint: 'Correct these, and look at it again.',
  },
  warning: {
    code: 'W_WARNINGS_LIMIT',
    message: `There are more than ${MAX_ISSUES} warnings; no others are shown`,
  },
} as const;
