import type { EditorState } from '@codemirror/state';
import { StateEffect, StateField } from '@codemirror/state';
import { nodesByLine } from '../../run/yaml/yaml-lines.ts';

/** Sets the lines of the nodes, from 1, by their paths. */
export const setNodeLines = StateEffect.define<Readonly<Record<string, number>>>();

/** Positions of the nodes in the text by their paths; edits before them move them. */
export const nodeLines = StateField.define<ReadonlyMap<string, number>>({
  create: () => new Map(),
  update(places, { changes, docChanged, effects, newDoc }) {
    const set = effects.find((effect) => effect.is(setNodeLines));
    if (set !== undefined) {
      const lines = Object.entries(set.value as Readonly<Record<string, number>>); // of this kind of effect
      return new Map(
        lines.filter(([, line]) => line <= newDoc.lines).map(([path, line]) => [path, newDoc.line(line).from]),
      );
    }
    if (!docChanged) return places;
    return new Map([...places].map(([path, place]) => [path, changes.mapPos(place, 1)]));
  },
});

/** Returns the place of the first line of a node; undefined for one that the last valid text did not have. */
export function placeOfNode(state: EditorState, path: string): number | undefined {
  const place = state.field(nodeLines).get(path);
  return place === undefined ? undefined : state.doc.lineAt(place).from;
}

/** Returns the path of the node whose lines contain the cursor. */
export function nodeAtCursor(state: EditorState): string | undefined {
  const starts = [...state.field(nodeLines)].map(([path, place]) => [path, state.doc.lineAt(place).number]);
  if (starts.length === 0) return undefined;
  const nodes = nodesByLine(state.doc.toJSON(), Object.fromEntries(starts));
  return nodes[state.doc.lineAt(state.selection.main.head).number - 1];
}
