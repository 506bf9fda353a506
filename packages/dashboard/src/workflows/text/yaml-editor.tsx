import type { EditorView } from '@codemirror/view';
import type { Diagnostic } from '@millrace/client';
import type { Ref } from 'react';
import { useEffect, useEffectEvent, useImperativeHandle, useRef } from 'react';
import classes from '../editor/workflow-editor.module.css';
import { createEditor } from './create-editor.ts';
import { nodeAtCursor, placeOfNode, setNodeLines } from './node-lines.ts';
import { showProblems } from './show-problems.ts';

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
  const view = useRef<EditorView>(null);
  const settle = useEffectEvent((text: string) => onText(text));
  const move = useEffectEvent((at: EditorView) => onNode(nodeAtCursor(at.state)));
  const paste = useEffectEvent((text: string) => onPaste(text));
  const begin = useEffectEvent(() => initial);
  useEffect(() => {
    if (host.current === null) return;
    const { view: created, close } = createEditor(host.current, {
      text: begin(),
      settle: (text) => settle(text),
      move: (at) => move(at),
      paste: (text) => paste(text),
    });
    view.current = created;
    return close;
  }, []);
  useEffect(() => {
    const { current } = view;
    if (current === null || checked === undefined || current.state.doc.toString() !== checked.text) return;
    showProblems(current, checked.diagnostics);
    if (checked.lines !== undefined) current.dispatch({ effects: setNodeLines.of(checked.lines) });
  }, [checked]);
  useImperativeHandle(ref, () => handleOf(view), []);
  return <div ref={host} className={classes['host']} />;
}

const handleOf = (view: { readonly current: EditorView | null }): EditorHandle => ({
  goTo(line, column = 1) {
    const { current } = view;
    if (current === null) return;
    const { from, to } = current.state.doc.line(Math.min(Math.max(1, line), current.state.doc.lines));
    select(current, Math.min(to, from + column - 1));
  },
  goToNode(path) {
    const { current } = view;
    const place = current === null ? undefined : placeOfNode(current.state, path);
    if (current !== null && place !== undefined) select(current, place);
  },
  replace(text) {
    const { current } = view;
    current?.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: text } });
  },
  text: () => view.current?.state.doc.toString() ?? '',
});

function select(view: EditorView, anchor: number): void {
  view.dispatch({ selection: { anchor }, scrollIntoView: true });
  view.focus();
}
