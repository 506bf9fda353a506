import type { Issue } from '@millrace/core';
import { wrapped } from './terminal/wrapped.ts';

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
export const issueText = (issue: Issue): string => withHint(`${placeOf(issue)} ${statementOf(issue)}`, issue);

/**
 * Returns the texts of issues. A warning that several places have in common is written once, after the others, with these places
 * below it. Lines are broken where a terminal has so many columns.
 */
export function issueTexts(issues: readonly Issue[], columns = Number.POSITIVE_INFINITY): readonly string[] {
  const groups = new Map<string, Issue[]>();
  for (const issue of issues) {
    const key = JSON.stringify([issue.severity, issue.code, issue.message, issue.hint]);
    groups.set(key, [...(groups.get(key) ?? []), issue]);
  }
  const isRepeated = (group: readonly Issue[]) => group.length > 1 && group[0]?.severity === 'warning';
  const repeated = [...groups.values()].filter(isRepeated);
  const grouped = new Set(repeated.flat());
  const texts = [...issues.filter((issue) => !grouped.has(issue)).map(issueText), ...repeated.flatMap(groupText)];
  return texts.map((text) => broken(text, columns));
}

/** Breaks the lines of the text of an issue: those below its first one stay indented. */
const broken = (text: string, columns: number): string =>
  text
    .split('\n')
    .map((line) => {
      const [indentation = '', rest = ''] = [/^ */.exec(line)?.[0], line.trimStart()];
      return wrapped(rest, columns - indentation.length).replace(/^/gm, indentation);
    })
    .join('\n');

/** Returns the text of a warning of several places. */
function groupText(group: readonly Issue[]): readonly string[] {
  const [first] = group;
  if (first === undefined) return [];
  const text = withHint(`${statementOf(first)}, in ${group.length} places`, first);
  return [[text, ...group.map((issue) => `  ${placeOf(issue)}`)].join('\n')];
}

const placeOf = ({ file, line, column, path }: Issue): string =>
  path === '' ? `${file}:${line}:${column}` : `${file}:${line}:${column} ${path}`;

const statementOf = ({ severity, code, message }: Issue): string =>
  `${severity === 'warning' ? 'warning: ' : ''}${message} [${code}]`;

const withHint = (text: string, { hint }: Issue): string => (hint === undefined ? text : `${text}\n  hint: ${hint}`);

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
