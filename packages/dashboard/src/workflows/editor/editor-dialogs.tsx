import type { Diagnostic } from '@millrace/client';
import { lazy, Suspense } from 'react';
import type { DraftAccess } from '../draft/use-draft.ts';
import type { EditorDialog } from './editor-toolbar.tsx';
import { withSeverity } from './use-check.ts';

const TryDialog = lazy(async () => ({ default: (await import('../trying/try-dialog.tsx')).TryDialog }));
const PublishDialog = lazy(async () => ({ default: (await import('../publishing/publish-dialog.tsx')).PublishDialog }));

interface EditorDialogsProps {
  readonly opened: EditorDialog | undefined;
  /** Undefined until a new workflow has a name that can be published. */
  readonly name: string | undefined;
  readonly access: DraftAccess;
  readonly diagnostics: readonly Diagnostic[];
  readonly published: (version: { readonly hash: string; readonly text: string }) => void;
  /** Shows another text in the editor. */
  readonly show: (text: string) => void;
  readonly close: () => void;
}

/** The dialogs that try and publish the text. */
export function EditorDialogs({ opened, name, access, diagnostics, published, show, close }: EditorDialogsProps) {
  const { draft, rebase, restart } = access;
  return (
    <Suspense>
      {opened === 'try' && <TryDialog text={draft.text} diagnostics={diagnostics} close={close} />}
      {opened === 'publish' && name !== undefined && (
        <PublishDialog
          name={name}
          text={draft.text}
          base={draft.base}
          warnings={withSeverity(diagnostics, 'warning')}
          published={({ hash }) => {
            close();
            published({ hash, text: draft.text });
          }}
          rebase={rebase}
          restart={(start) => {
            restart(start);
            show(start.text);
            close();
          }}
          close={close}
        />
      )}
    </Suspense>
  );
}
