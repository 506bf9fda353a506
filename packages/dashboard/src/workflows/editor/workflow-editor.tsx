import type { Diagnostic } from '@millrace/client';
import type { RefObject } from 'react';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useMissingScope } from '../../api/use-caller.ts';
import { useOfferedCommands } from '../../kit/commands/commands.ts';
import { LineChanges } from '../../kit/text/text-diff.tsx';
import { saveText } from '../../kit/values/save-text.ts';
import { prepareLayout } from '../../run/graph/layout/layout-client.ts';
import { isChatDev } from '../chatdev/chatdev.ts';
import { ChatDevNote } from '../chatdev/chatdev-note.tsx';
import type { Check } from '../draft/use-check.ts';
import { useCheck, withSeverity } from '../draft/use-check.ts';
import type { DraftAccess } from '../draft/use-draft.ts';
import { TextPicture } from '../picture/text-picture.tsx';
import classes from '../text/workflow-editor.module.css';
import type { EditorHandle } from '../text/yaml-editor.tsx';
import { YamlEditor } from '../text/yaml-editor.tsx';
import type { EditorDialog } from './editor-toolbar.tsx';
import { EditorToolbar } from './editor-toolbar.tsx';
import { Problems, summaryOf } from './problems.tsx';

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
    <div className={`${classes['editor']} stack`}>
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
        <p role="alert" className="ink" data-tone="failed">
          {refusal}
        </p>
      )}
      {isPasted && check.checked !== undefined && (
        <ChatDevNote checked={check.checked} goTo={goTo} replace={replace} close={() => setPasted(false)} />
      )}
      <div className={`${classes['sides']} stack`}>
        <div className={`${classes['text']} stack`}>
          <YamlEditor
            ref={editor}
            initial={draft.text}
            checked={check.checked}
            onText={write}
            onNode={setNode}
            onPaste={(text) => isChatDev(text) && setPasted(true)}
          />
          <p id="leaving-the-editor" className="muted small">
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
        isChanged={draft.text !== original || draft.base === null}
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

interface RivalDraftProps {
  readonly access: DraftAccess;
  /** Puts a text into the editor. */
  readonly show: (text: string) => void;
}

/** Says that another tab writes the same draft, and offers both texts. */
function RivalDraft({ access: { draft, rival, takeRival, keepOwn }, show }: RivalDraftProps) {
  const [isCompared, compare] = useState(false);
  if (rival === undefined) return null;
  return (
    <section
      className={`${classes['rival']} note stack`}
      data-tone="waiting"
      role="alert"
      aria-label="Another tab has changed this draft"
    >
      <p>
        <strong>Another tab has changed this draft.</strong> What you write here is not stored until you choose one of
        the two texts.
      </p>
      <p className={`${classes['links']} row wrap`}>
        <button type="button" className="button" onClick={keepOwn}>
          Keep the text of this tab
        </button>
        <button
          type="button"
          className="button"
          onClick={() => {
            show(rival.text);
            takeRival();
          }}
        >
          Take the text of the other tab
        </button>
        <button type="button" className="button" aria-expanded={isCompared} onClick={() => compare(!isCompared)}>
          Compare them
        </button>
      </p>
      {isCompared && <LineChanges before={draft.text} after={rival.text} />}
    </section>
  );
}

const TryDialog = lazy(async () => ({ default: (await import('../trying/try-dialog.tsx')).TryDialog }));
const PublishDialog = lazy(async () => ({ default: (await import('../publishing/publish-dialog.tsx')).PublishDialog }));

interface EditorDialogsProps {
  readonly opened: EditorDialog | undefined;
  /** Undefined until a new workflow has a name that can be published. */
  readonly name: string | undefined;
  readonly access: DraftAccess;
  /** The text is not the published one. */
  readonly isChanged: boolean;
  readonly diagnostics: readonly Diagnostic[];
  readonly published: (version: { readonly hash: string; readonly text: string }) => void;
  /** Shows another text in the editor. */
  readonly show: (text: string) => void;
  readonly close: () => void;
}

/** The dialogs that try and publish the text. */
function EditorDialogs({ opened, name, access, isChanged, diagnostics, published, show, close }: EditorDialogsProps) {
  const { draft, rebase, restart } = access;
  const publication = name !== undefined && {
    name,
    text: draft.text,
    base: draft.base,
    warnings: withSeverity(diagnostics, 'warning'),
    published: ({ hash }: { readonly hash: string }) => {
      close();
      published({ hash, text: draft.text });
    },
    rebase,
    restart: (start: { readonly text: string; readonly base: string }) => {
      restart(start);
      show(start.text);
      close();
    },
  };
  return (
    <Suspense>
      {opened === 'try' && (
        <TryDialog
          text={draft.text}
          diagnostics={diagnostics}
          close={close}
          {...(publication && isChanged ? { publication } : {})}
        />
      )}
      {opened === 'publish' && publication && <PublishDialog of={publication} close={close} />}
    </Suspense>
  );
}

/** Reason why a text cannot be tried or published now. */
interface Obstacle {
  readonly reason: string;
  /** The check of the text has not ended. */
  readonly isPassing?: true;
}

interface Conditions {
  readonly obstacle: Obstacle | undefined;
  /** The text has a name that it can be published under. */
  readonly isNamed: boolean;
  /** Passes on what was typed a moment ago, so that it is checked. */
  readonly settle: () => void;
}

/** Dialogs of the editor. A dialog that is requested while the text is checked opens when the check has ended. */
function useEditorDialog({ obstacle, isNamed, settle }: Conditions) {
  const [opened, open] = useState<EditorDialog>();
  const [requested, request] = useState<EditorDialog>();
  const [refusal, refuse] = useState<string>();
  const isDecided = requested !== undefined && obstacle?.isPassing !== true;
  if (isDecided) {
    const isNameless = requested === 'publish' && !isNamed;
    const reason = isNameless ? 'Give the workflow a name that is valid first.' : obstacle?.reason;
    request(undefined);
    refuse(reason);
    if (reason === undefined) open(requested);
  }
  return {
    opened,
    refusal,
    refuse,
    start: (dialog: EditorDialog) => {
      settle();
      refuse(undefined);
      request(dialog);
    },
    close: () => open(undefined),
  };
}
