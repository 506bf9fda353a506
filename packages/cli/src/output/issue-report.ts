import type { Issue } from '@millrace/core';

/** Issues of one definition file, and of the files that it names. */
export interface FileReport {
  readonly file: string;
  readonly ok: boolean;
  readonly issues: readonly Issue[];
}

/** Tests if a file is valid; warnings are allowed. */
export const reportOf = (file: string, issues: readonly Issue[]): FileReport => ({
  file,
  ok: issues.every((issue) => issue.severity !== 'error'),
  issues,
});

/** Returns an issue as `file:line:column path message [CODE]`, and its hint in a separate line. */
export function issueText({ file, line, column, path, severity, code, message, hint }: Issue): string {
  const place = path === '' ? `${file}:${line}:${column}` : `${file}:${line}:${column} ${path}`;
  const text = `${place} ${severity === 'warning' ? 'warning: ' : ''}${message} [${code}]`;
  return hint === undefined ? text : `${text}\n  hint: ${hint}`;
}

/** Returns the reports as JSON. An issue contains its file only if it is another one, such as that of a subgraph. */
export function reportJson(reports: readonly FileReport[]): string {
  const files = reports.map(({ file, ok, issues }) => ({
    file,
    ok,
    issues: issues.map((issue) => issueJson(issue, file)),
  }));
  return JSON.stringify({ ok: reports.every((report) => report.ok), files }, null, 2);
}

function issueJson({ file, code, severity, path, line, column, message, hint }: Issue, reported: string) {
  const issue = { code, severity, path, line, column, message, hint };
  return file === reported ? issue : { ...issue, file };
}

/** Returns a summary such as `2 files, 1 error, 3 warnings`. */
export function summaryOf(reports: readonly FileReport[]): string {
  const issues = reports.flatMap((report) => report.issues);
  const errors = issues.filter((issue) => issue.severity === 'error').length;
  return [count(reports.length, 'file'), count(errors, 'error'), count(issues.length - errors, 'warning')].join(', ');
}

const count = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;
