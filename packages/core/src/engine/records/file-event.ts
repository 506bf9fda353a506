import type { ActivationId, ScopeId } from '../../model/ids.ts';
import type { FileChange } from '../../model/workspace.ts';

/** What happens to the files of a run. */
export type FileEvent =
  /** A node wrote into its workspace. It counts for others when the activation completes. */
  | {
      readonly type: 'files.changed';
      readonly activation: ActivationId;
      readonly node: string;
      /** The execution of the graph that the workspace belongs to. */
      readonly frame: ScopeId;
      /** The step that changed them; absent: they were changed outside of steps. */
      readonly step?: number;
      readonly files: readonly FileChange[];
    }
  /** People attached files to the task or to an answer. */
  | { readonly type: 'files.attached'; readonly frame: ScopeId; readonly files: readonly FileChange[] };
