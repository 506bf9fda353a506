import type { Block, ChatMessage } from '@millrace/core';
import { textOf } from '@millrace/core';

/** Returns the text of a message for a model: its text blocks as they are, and a short description of other blocks. */
export const contentText = ({ content }: Pick<ChatMessage, 'content'>): string =>
  typeof content === 'string' ? content : content.map(blockText).join('\n');

/** Returns the text of one block for a model. */
export const blockText = (block: Block): string => (block.type === 'text' ? block.text : textOf({ content: [block] }));
