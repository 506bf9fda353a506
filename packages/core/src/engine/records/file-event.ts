import type { ActivationId, ScopeId } from '../../model/ids.ts';
import type { FileChange } from '../../model/workspace.ts';

/** Events of the files of a run. */
export type FileEvent =
  /** A node wrote into its workspace. Other nodes see the changes when the activation completes. */
  | {
      readonly type: 'files.changed';
      readonly activation: ActivationId;
      readonly node: string;
      /** The frame that the workspace belongs to. */
      readonly frame: ScopeId;
      /** The step that changed the files; absent: they were changed outside of steps. */
      readonly step?: number;
      readonly files: readonly FileChange[];
    }
  /** A person attached files to the task or to an answer. */
  | { readonly type: 'files.attached'; readonly frame: ScopeId; readonly files: readonly FileChange[] };
