import { serveTasks } from '../processes/serve-tasks.ts';
import { itemTexts } from './item-texts.ts';
import type { PackedTexts } from './packed-texts.ts';
import { packTexts } from './packed-texts.ts';
import type { SplitTask } from './split-in-child.ts';

serveTasks<SplitTask, PackedTexts | undefined>(({ split, text, most }) => {
  const texts = itemTexts(split, text, most);
  return texts && packTexts(texts);
});
