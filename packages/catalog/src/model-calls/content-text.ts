import type { Block, ChatMessage } from '@millrace/core';
import { textOf } from '@millrace/core';

/** The text of a message as a model reads it: its text blocks as they are, a short description of everything else. */
export const contentText = ({ content }: Pick<ChatMessage, 'content'>): string =>
  typeof content === 'string' ? content : content.map(blockText).join('\n');

/** The text of one block as a model reads it. */
export const blockText = (block: Block): string => (block.type === 'text' ? block.text : textOf({ content: [block] }));
