import type { Diagnostic as Underlined } from '@codemirror/lint';
import { setDiagnostics } from '@codemirror/lint';
import type { EditorView } from '@codemirror/view';
import type { Diagnostic } from '@millrace/client';

/** Underlines problems in the text that they were found in. */
export function showProblems(view: EditorView, diagnostics: readonly Diagnostic[]): void {
  const { doc } = view.state;
  const underlined = diagnostics.map(({ line, column, severity, code, message, hint }): Underlined => {
    const { from: start, to: end, text } = doc.line(Math.min(Math.max(1, line), doc.lines));
    const from = Math.min(end, start + column - 1);
    const word = /^(?:"[^"]*"|'[^']*'|[^\s,{}[\]]+)/.exec(text.slice(column - 1))?.[0] ?? '';
    const to = Math.min(end, from + Math.max(1, word.length));
    return { from, to, severity, source: code, message: hint === undefined ? message : `${message}\n${hint}` };
  });
  view.dispatch(setDiagnostics(view.state, underlined));
}
