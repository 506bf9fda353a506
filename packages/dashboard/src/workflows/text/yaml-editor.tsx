import type { Diagnostic as Underlined } from '@codemirror/lint';
import { setDiagnostics } from '@codemirror/lint';
import type { EditorView } from '@codemirror/view';
import type { Diagnostic } from '@millrace/client';
import type { Ref } from 'react';
import { useEffect, useEffectEvent, useImperativeHandle, useRef } from 'react';
import { plainProse } from '../../kit/values/prose.tsx';
import type { OpenedEditor } from './create-editor.ts';
import { createEditor } from './create-editor.ts';
import { nodeAtCursor, placeOfNode, setNodeLines } from './node-lines.ts';
import classes from './workflow-editor.module.css';

/** Interface of the editor for the rest of the page. */
export interface EditorHandle {
  /** Moves the cursor to a place in the text, and the focus to the editor. */
  goTo(line: number, column?: number): void;
  /** Moves the cursor to the first line of a node, by its path. */
  goToNode(path: string): void;
  /** Replaces the text; undo brings the former one back. */
  replace(text: string): void;
  /** Returns the current text. */
  text(): string;
  /** Passes on a text that was typed a moment ago. */
  settle(): void;
}

/** Known facts about a text. */
export interface CheckedText {
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
  /** Lines of its nodes by their paths; absent for a text with errors. */
  readonly lines?: Readonly<Record<string, number>>;
}

interface YamlEditorProps {
  readonly initial: string;
  readonly checked: CheckedText | undefined;
  /** Called when typing has stopped for a moment. */
  readonly onText: (text: string) => void;
  /** Called with the path of the node at the cursor. */
  readonly onNode: (path: string | undefined) => void;
  readonly onPaste: (text: string) => void;
  readonly ref: Ref<EditorHandle>;
}

/** The editor of a text of YAML, with completion, hints and underlined problems. */
export function YamlEditor({ initial, checked, onText, onNode, onPaste, ref }: YamlEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const opened = useRef<OpenedEditor>(null);
  const settle = useEffectEvent((text: string) => onText(text));
  const move = useEffectEvent((at: EditorView) => onNode(nodeAtCursor(at.state)));
  const paste = useEffectEvent((text: string) => onPaste(text));
  const begin = useEffectEvent(() => initial);
  useEffect(() => {
    if (host.current === null) return;
    const created = createEditor(host.current, {
      text: begin(),
      settle: (text) => settle(text),
      move: (at) => move(at),
      paste: (text) => paste(text),
    });
    opened.current = created;
    return created.close;
  }, []);
  useEffect(() => {
    const view = opened.current?.view;
    if (view === undefined || checked === undefined || view.state.doc.toString() !== checked.text) return;
    showProblems(view, checked.diagnostics);
    if (checked.lines !== undefined) view.dispatch({ effects: setNodeLines.of(checked.lines) });
  }, [checked]);
  useImperativeHandle(ref, () => handleOf(opened), []);
  return <div ref={host} className={classes['host']} />;
}

const handleOf = (opened: { readonly current: OpenedEditor | null }): EditorHandle => ({
  goTo(line, column = 1) {
    const view = opened.current?.view;
    if (view === undefined) return;
    const { from, to } = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines));
    select(view, Math.min(to, from + column - 1));
  },
  goToNode(path) {
    const view = opened.current?.view;
    const place = view === undefined ? undefined : placeOfNode(view.state, path);
    if (view !== undefined && place !== undefined) select(view, place);
  },
  replace(text) {
    const view = opened.current?.view;
    view?.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
  },
  text: () => opened.current?.view.state.doc.toString() ?? '',
  settle: () => opened.current?.settle(),
});

function select(view: EditorView, anchor: number): void {
  view.dispatch({ selection: { anchor }, scrollIntoView: true });
  view.focus();
}

/** Underlines problems in the text that they were found in. */
function showProblems(view: EditorView, diagnostics: readonly Diagnostic[]): void {
  const { doc } = view.state;
  const underlined = diagnostics.map(({ line, column, severity, code, message, hint }): Underlined => {
    const { from: start, to: end, text } = doc.line(Math.min(Math.max(1, line), doc.lines));
    const from = Math.min(end, start + column - 1);
    const word = /^(?:"[^"]*"|'[^']*'|[^\s,{}[\]]+)/.exec(text.slice(column - 1))?.[0] ?? '';
    const to = Math.min(end, from + Math.max(1, word.length));
    return {
      from,
      to,
      severity,
      source: code,
      message: plainProse(hint === undefined ? message : `${message}\n${hint}`),
    };
  });
  view.dispatch(setDiagnostics(view.state, underlined));
}
