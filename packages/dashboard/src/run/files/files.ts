import type { RunArtifact } from '@millrace/client';

/** A line of the tree of files: a workspace, a folder, or a file. */
export type TreeLine =
  | { readonly type: 'workspace'; readonly name: string; readonly depth: 0 }
  | { readonly type: 'folder'; readonly name: string; readonly depth: number; readonly key: string }
  | { readonly type: 'file'; readonly name: string; readonly depth: number; readonly file: RunArtifact };

/** Workspace of the run itself. */
const ownWorkspace = 's0';

/** Returns the files of a run as a tree: by workspace, folders before the files inside them. */
export function treeOf(files: readonly RunArtifact[]): readonly TreeLine[] {
  const workspaces = [...new Set(files.map(({ workspace }) => workspace))].sort(bySize);
  return workspaces.flatMap((workspace): readonly TreeLine[] => {
    const own = files.filter((file) => file.workspace === workspace);
    // A run without subgraphs has one workspace, which needs no name.
    const isNamed = workspaces.length > 1;
    const name = workspace === ownWorkspace ? 'Run' : `Subgraph call ${workspace}`;
    const lines = linesOf(own, { depth: isNamed ? 1 : 0, above: '' });
    return isNamed ? [{ type: 'workspace', name, depth: 0 }, ...lines] : lines;
  });
}

interface Folder {
  readonly depth: number;
  /** Path of the folder, with a slash at its end. */
  readonly above: string;
}

function linesOf(files: readonly RunArtifact[], { depth, above }: Folder): readonly TreeLine[] {
  const folders = new Map<string, RunArtifact[]>();
  const direct: TreeLine[] = [];
  for (const file of files) {
    const rest = file.path.slice(above.length);
    const slash = rest.indexOf('/');
    if (slash < 0) direct.push({ type: 'file', name: rest, depth, file });
    else {
      const name = rest.slice(0, slash);
      folders.set(name, [...(folders.get(name) ?? []), file]);
    }
  }
  const inside = [...folders].flatMap(([name, members]): readonly TreeLine[] => [
    { type: 'folder', name, depth, key: `${members[0]?.workspace}/${above}${name}` },
    ...linesOf(members, { depth: depth + 1, above: `${above}${name}/` }),
  ]);
  return [...inside, ...direct];
}

const bySize = (one: string, other: string): number => one.length - other.length || (one < other ? -1 : 1);

/** Way in which a file is previewed. */
type FileKind = 'image' | 'markdown' | 'text' | 'none';

/** Bytes of a text that are loaded for its preview. */
export const previewBytes = 32 * 1024;
/** Bytes up to which an image is previewed. */
export const longestImage = 20 * 1024 * 1024;

/** Images that a browser draws without running anything in them; SVG is text. */
const images = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp']);
const texts = /^(text\/|application\/(json|xml|x-?yaml|yaml|toml|javascript|typescript|x-sh|sql|x-ndjson)|image\/svg)/;
const textNames =
  /\.(py|js|ts|tsx|jsx|mjs|sh|sql|ya?ml|toml|ini|cfg|log|env|rs|go|java|c|h|cpp|css|html?|svg|csv|tsv|txt|jsonl?)$/i;

/** Returns the kind of preview of a file. HTML and SVG are shown as their text. */
export function kindOf({ path, mimeType }: { readonly path: string; readonly mimeType: string }): FileKind {
  if (images.has(mimeType)) return 'image';
  if (mimeType === 'text/markdown' || /\.(md|markdown)$/i.test(path)) return 'markdown';
  return texts.test(mimeType) || textNames.test(path) ? 'text' : 'none';
}
