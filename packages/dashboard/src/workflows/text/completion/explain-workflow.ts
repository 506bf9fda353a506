import type { EditorView, Tooltip } from '@codemirror/view';
import { loadSchema, loadYamlPlace } from './schema-source.ts';
import { schemasAt } from './schema-walk.ts';
import { explanationOf } from './schema-words.ts';

/** Explains the field or value under the pointer by the JSON Schema. */
export async function explainWorkflow({ state }: EditorView, position: number): Promise<Tooltip | null> {
  const [schema, { placeAt }] = await Promise.all([loadSchema(), loadYamlPlace()]);
  const place = schema && placeAt(state.doc.toString(), position);
  if (schema === undefined || place === undefined) return null;
  const lines = explanationOf(schemasAt(schema, place.path, place.value));
  if (lines.length === 0) return null;
  return { pos: position, above: true, create: () => ({ dom: explanation(place.path.findLast(isName) ?? '', lines) }) };
}

const isName = (step: string | number): step is string => typeof step === 'string';

function explanation(name: string, lines: readonly string[]): HTMLElement {
  const element = document.createElement('div');
  element.className = 'cm-explanation';
  const heading = document.createElement('strong');
  heading.textContent = name;
  element.append(
    heading,
    ...lines.map((line) => {
      const part = document.createElement('p');
      part.textContent = line;
      return part;
    }),
  );
  return element;
}
