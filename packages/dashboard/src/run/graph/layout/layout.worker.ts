import type { LayoutRequest } from './layout.ts';
import { layout } from './layout.ts';

// The scope of a worker, of which the types of pages know nothing.
const scope = self as unknown as {
  onmessage: (event: { readonly data: LayoutRequest }) => void;
  postMessage(message: unknown): void;
};

scope.onmessage = ({ data: { id, shapes, key, open } }) => {
  const byKey = new Map(shapes.map((shape) => [shape.key, shape]));
  scope.postMessage({ id, placed: layout(byKey, key, new Set(open)) });
};
