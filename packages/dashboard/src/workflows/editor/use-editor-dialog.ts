import { useState } from 'react';
import type { EditorDialog } from './editor-toolbar.tsx';

/** Reason why a text cannot be tried or published now. */
export interface Obstacle {
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
export function useEditorDialog({ obstacle, isNamed, settle }: Conditions) {
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
