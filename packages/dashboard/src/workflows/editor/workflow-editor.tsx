import type { RefObject } from 'react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useMissingScope } from '../../api/use-missing-scope.ts';
import { useOfferedCommands } from '../../kit/commands/commands.ts';
import { saveText } from '../../kit/values/save-text.ts';
import { prepareLayout } from '../../run/graph/layout/layout-client.ts';
import { isChatDev } from '../chatdev/chatdev.ts';
import { ChatDevNote } from '../chatdev/chatdev-note.tsx';
import { RivalDraft } from '../draft/rival-draft.tsx';
import type { DraftAccess } from '../draft/use-draft.ts';
import { TextPicture } from '../picture/text-picture.tsx';
import type { EditorHandle } from '../text/yaml-editor.tsx';
import { YamlEditor } from '../text/yaml-editor.tsx';
import { EditorDialogs } from './editor-dialogs.tsx';
import type { EditorDialog } from './editor-toolbar.tsx';
import { EditorToolbar } from './editor-toolbar.tsx';
import { Problems, summaryOf } from './problems.tsx';
import type { Check } from './use-check.ts';
import { useCheck } from './use-check.ts';
import type { Obstacle } from './use-editor-dialog.ts';
import { useEditorDialog } from './use-editor-dialog.ts';
import classes from './workflow-editor.module.css';

prepareLayout();

interface WorkflowEditorProps {
  /** Undefined until a new workflow has a name that can be published. */
  readonly name: string | undefined;
  readonly access: DraftAccess;
  /** Text of the version that the draft began with. */
  readonly original: string;
  /** Called once the text is published. */
  readonly published: (version: { readonly hash: string; readonly text: string }) => void;
}

/** The editor of a workflow: its text, the problems that the server reports, its graph, and its actions. */
export function WorkflowEditor({ name, access, original, published }: WorkflowEditorProps) {
  const { draft, write, restart } = access;
  const editor = useRef<EditorHandle>(null);
  const [node, setNode] = useState<string>();
  const [isPasted, setPasted] = useState(() => draft.base === null && isChatDev(draft.text));
  const check = useCheck(draft.text);
  const missingScope = useMissingScope('run');
  const obstacle = missingScope === undefined ? obstacleIn(check, draft.text) : { reason: missingScope };
  const settle = () => editor.current?.settle();
  const { opened, refusal, refuse, start, close } = useEditorDialog({ obstacle, isNamed: name !== undefined, settle });
  const goTo = (line: number, column: number) => editor.current?.goTo(line, column);
  const replace = (text: string) => {
    editor.current?.replace(text);
    write(text);
  };
  const format = useFormat(editor, { replace, refuse });
  useCommandsOf({ format, start });
  return (
    <div className={classes['editor']}>
      <EditorToolbar
        draft={draft}
        isChanged={draft.text !== original}
        obstacle={obstacle?.reason}
        problems={problemsIn(check)}
        format={format}
        download={() => saveText(`${name ?? 'workflow'}.yaml`, draft.text)}
        start={start}
        drop={() => {
          editor.current?.replace(original);
          restart({ text: original, base: draft.base });
        }}
      />
      <RivalDraft access={access} show={(text) => editor.current?.replace(text)} />
      {refusal !== undefined && (
        <p role="alert" className={classes['refusal']}>
          {refusal}
        </p>
      )}
      {isPasted && check.checked !== undefined && (
        <ChatDevNote checked={check.checked} goTo={goTo} replace={replace} close={() => setPasted(false)} />
      )}
      <div className={classes['sides']}>
        <div className={classes['text']}>
          <YamlEditor
            ref={editor}
            initial={draft.text}
            checked={check.checked}
            onText={write}
            onNode={setNode}
            onPaste={(text) => isChatDev(text) && setPasted(true)}
          />
          <p id="leaving-the-editor" className={classes['hint']}>
            Tab indents. Esc, then Tab leaves the editor.
          </p>
        </div>
        <TextPicture
          check={check}
          node={node}
          choose={(path) => {
            setNode(path);
            editor.current?.goToNode(path);
          }}
        />
      </div>
      <Problems check={check} goTo={goTo} />
      <EditorDialogs
        opened={opened}
        name={name}
        access={access}
        diagnostics={check.checked?.diagnostics ?? []}
        published={published}
        show={(text) => editor.current?.replace(text)}
        close={close}
      />
    </div>
  );
}

/** Returns the reason why a text cannot be tried or published now. */
function obstacleIn({ checked, isChecking, graphs, error }: Check, text: string): Obstacle | undefined {
  if (error !== null && !isChecking) return { reason: 'The text could not be checked: see the reason below it.' };
  if (checked?.text !== text || isChecking) return { reason: 'The text is being checked.', isPassing: true };
  return graphs === undefined ? { reason: 'The text has errors: see the problems below it.' } : undefined;
}

const problemsIn = ({ checked }: Check): string | undefined =>
  checked === undefined || checked.diagnostics.length === 0 ? undefined : summaryOf(checked.diagnostics);

interface Formatting {
  readonly replace: (text: string) => void;
  /** Shows the reason why a text was not changed. */
  readonly refuse: (reason: string | undefined) => void;
}

/** Returns a function that formats the text; the formatter is loaded on its first call. */
function useFormat(editor: RefObject<EditorHandle | null>, { replace, refuse }: Formatting): () => void {
  const format = async () => {
    const { formatYaml } = await import('../text/format.ts');
    const formatted = formatYaml(editor.current?.text() ?? '');
    refuse(formatted.type === 'refused' ? formatted.reason : undefined);
    if (formatted.type === 'formatted') replace(formatted.text);
  };
  return () => void format();
}

interface EditorActions {
  readonly format: () => void;
  readonly start: (dialog: EditorDialog) => void;
}

/** Offers the actions of the editor in the palette. */
function useCommandsOf(actions: EditorActions): void {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  const commands = useMemo(
    () => [
      { id: 'format', title: 'Format the text', act: () => latest.current.format() },
      { id: 'try', title: 'Try the text', act: () => latest.current.start('try') },
      { id: 'publish', title: 'Publish the text', act: () => latest.current.start('publish') },
    ],
    [],
  );
  useOfferedCommands(commands);
}
