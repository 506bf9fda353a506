import type { Issue } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { issueText, issueTexts, reportJson, reportOf, summaryOf } from './issue-report.ts';

const error: Issue = {
  code: 'E_UNKNOWN_NODE',
  severity: 'error',
  file: 'flow.yaml',
  line: 12,
  column: 9,
  path: 'graph.edges[0].to',
  message: 'Unknown node "writr".',
  hint: 'Did you mean "writer"?',
};
const { hint: _hint, ...bare } = error;
const warning: Issue = { ...bare, severity: 'warning', code: 'W_UNUSED', path: '' };

describe('the report of a check', () => {
  it('puts an issue and its hint on lines of their own', () => {
    expect(issueText(error)).toBe(
      'flow.yaml:12:9 graph.edges[0].to Unknown node "writr". [E_UNKNOWN_NODE]\n  hint: Did you mean "writer"?',
    );
    expect(issueText(warning)).toBe('flow.yaml:12:9 warning: Unknown node "writr". [W_UNUSED]');
  });

  it('breaks lines at the width of a terminal, and keeps hints indented', () => {
    expect(issueTexts([{ ...error, hint: 'Did you mean "writer", or "editor"?' }], 30)).toEqual([
      'flow.yaml:12:9\n  graph.edges[0].to Unknown\n  node "writr".\n  [E_UNKNOWN_NODE]\n  hint: Did you mean "writer",\n    or "editor"?',
    ]);
  });

  it('names the places of a warning that they have in common below it, after the other issues', () => {
    const second = { ...warning, file: 'other.yaml', line: 3 };
    const alone = { ...warning, code: 'W_OTHER' };

    expect(issueTexts([warning, error, second, alone])).toEqual([
      issueText(error),
      issueText(alone),
      'warning: Unknown node "writr". [W_UNUSED], in 2 places\n  flow.yaml:12:9\n  other.yaml:3:9',
    ]);
  });

  it('succeeds with warnings alone', () => {
    expect(reportOf('flow.yaml', [warning]).ok).toBe(true);
    expect(reportOf('flow.yaml', [warning, error]).ok).toBe(false);
  });

  it('is JSON with one entry per file, and names the file of an issue only when it is another file', () => {
    const inner = { ...warning, file: 'inner.yaml' };
    expect(JSON.parse(reportJson([reportOf('flow.yaml', [error, inner]), reportOf('ok.yaml', [])]))).toEqual({
      ok: false,
      files: [
        {
          file: 'flow.yaml',
          ok: false,
          issues: [
            {
              code: 'E_UNKNOWN_NODE',
              severity: 'error',
              path: 'graph.edges[0].to',
              line: 12,
              column: 9,
              message: 'Unknown node "writr".',
              hint: 'Did you mean "writer"?',
            },
            expect.objectContaining({ file: 'inner.yaml', code: 'W_UNUSED' }),
          ],
        },
        { file: 'ok.yaml', ok: true, issues: [] },
      ],
    });
  });

  it('counts files, errors and warnings', () => {
    expect(summaryOf([reportOf('a', [error]), reportOf('b', [warning, warning])])).toBe('2 files, 1 error, 2 warnings');
  });
});
