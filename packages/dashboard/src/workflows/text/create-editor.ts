import { indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { indentService, indentUnit } from '@codemirror/language';
import { lintGutter } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { hoverTooltip, keymap } from '@codemirror/view';
import { basicSetup, EditorView } from 'codemirror';
import { completeWorkflow } from './completion/complete-workflow.ts';
import { explainWorkflow } from './completion/explain-workflow.ts';
import { editorTheme } from './editor-theme.ts';
import { indentAfter } from './indent-after.ts';
import { nodeLines } from './node-lines.ts';

interface EditorOptions {
  readonly text: string;
  /** Called with the text when typing has stopped, and at once when the page is left. */
  readonly settle: (text: string) => void;
  /** Called when the cursor has moved and rests. */
  readonly move: (view: EditorView) => void;
  /** Called with the whole text after something long was pasted. */
  readonly paste: (text: string) => void;
}

/** Time after the last key after which a text counts as written, in milliseconds. */
const settledMs = 250;
const longPaste = 200;

/** An editor in an element. */
export interface OpenedEditor {
  readonly view: EditorView;
  /** Passes on what was typed since the last time, at once. */
  settle(): void;
  close(): void;
}

/** Opens an editor in an element. */
export function createEditor(parent: HTMLElement, options: EditorOptions): OpenedEditor {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let resting: ReturnType<typeof setTimeout> | undefined;
  let isSettled = true;
  const view = new EditorView({
    parent,
    doc: options.text,
    extensions: [
      basicSetup,
      yaml(),
      lintGutter(),
      keymap.of([indentWithTab]),
      indentUnit.of('  '),
      // Without it a line after `nodes:` begins below it, and a key after a comment further to the left.
      indentService.of((context, position) =>
        context.simulatedBreak === null ? undefined : indentAfter(context.lineAt(position, -1).text),
      ),
      EditorState.tabSize.of(2),
      nodeLines,
      EditorState.languageData.of(() => [{ autocomplete: completeWorkflow }]),
      hoverTooltip(explainWorkflow),
      editorTheme,
      EditorView.cspNonce.of(styleNonce()),
      EditorView.contentAttributes.of({
        'aria-label': 'Workflow YAML',
        'aria-describedby': leavingHint,
        tabindex: '0',
      }),
      EditorView.updateListener.of(({ docChanged, selectionSet, transactions, state }) => {
        if (docChanged) {
          isSettled = false;
          clearTimeout(timer);
          timer = setTimeout(settle, settledMs);
          const isPaste = transactions.some((one) => one.isUserEvent('input.paste'));
          if (isPaste && state.doc.length > longPaste) options.paste(state.doc.toString());
        }
        if (!docChanged && !selectionSet) return;
        clearTimeout(resting);
        resting = setTimeout(() => options.move(view), settledMs);
      }),
    ],
  });
  const settle = () => {
    if (isSettled) return;
    isSettled = true;
    clearTimeout(timer);
    options.settle(view.state.doc.toString());
  };
  // Phones may end a page that is hidden without another word.
  const onHidden = () => document.hidden && settle();
  window.addEventListener('pagehide', settle);
  document.addEventListener('visibilitychange', onHidden);
  return {
    view,
    settle,
    close() {
      settle();
      clearTimeout(resting);
      window.removeEventListener('pagehide', settle);
      document.removeEventListener('visibilitychange', onHidden);
      view.destroy();
    },
  };
}

/** Id of the sentence that explains how the keyboard leaves the editor. */
const leavingHint = 'leaving-the-editor';

/** Returns the nonce that the content security policy of this page requires of styles. */
const styleNonce = (): string => document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
