import type { NodeDefinition } from '../../definitions/define.ts';
import type { SourceDocument } from '../document/document.ts';
import { readDocument } from '../document/document.ts';
import { isMapping } from '../document/mapping.ts';
import type { Path } from '../document/path.ts';
import type { LocatedValue, ReadContext } from './read-context.ts';
import { isUnresolved } from './read-context.ts';

type IncludedFile = NonNullable<LocatedValue['included']>[number];

/** Returns a configuration in which the mappings of files take the place of their names, with these files. */
export function includeFiles(
  context: ReadContext,
  { included = [] }: Pick<NodeDefinition, 'included'>,
  located: LocatedValue,
): LocatedValue {
  const files: IncludedFile[] = [];
  let { value } = located;
  for (const keys of included) {
    const name = keys.reduce<unknown>((inner, key) => (isMapping(inner) ? inner[key] : undefined), value);
    const path = [...located.path, ...keys];
    if (typeof name !== 'string' || isUnresolved(context, path)) continue;
    const document = openIncluded(context, name, path);
    if (document !== undefined) files.push({ path, document });
    // Without the file the rest of the configuration is read with an empty mapping.
    value = withValue(value, keys, document?.value ?? {});
  }
  return { ...located, value, included: files };
}

/** Opens a file with a mapping; undefined if there is none, with the reason among the issues. */
function openIncluded({ shared, document }: ReadContext, name: string, path: Path): SourceDocument | undefined {
  const source = shared.readFile?.(name, document.file);
  if (source === undefined) {
    const message = `The file "${name}" was not found`;
    const hint = 'The path is relative to the folder of this file or of the workflows.';
    document.report.add('E_INCLUDED_FILE', { path, message, hint });
    return undefined;
  }
  const opened = readDocument(source, shared.issues);
  if (opened === undefined || isMapping(opened.value)) return opened;
  document.report.add('E_INCLUDED_FILE', { path, message: `The file "${name}" contains no mapping` });
  return undefined;
}

function withValue(value: unknown, [key, ...rest]: readonly string[], inner: unknown): unknown {
  if (key === undefined || !isMapping(value)) return inner;
  return { ...value, [key]: withValue(value[key], rest, inner) };
}
