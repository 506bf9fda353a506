import { serveThread } from '../threads/serve-thread.ts';
import { itemTexts } from './item-texts.ts';
import type { SplitTask } from './split-in-thread.ts';

serveThread<SplitTask, readonly string[] | undefined>(({ split, text, most }) => itemTexts(split, text, most));
