import { serveThread } from '../threads/serve-thread.ts';
import { render, TemplateLimit } from './render.ts';
import type { RenderReply, RenderTask } from './render-in-thread.ts';

serveThread<RenderTask, RenderReply>(({ template, variables }) => {
  try {
    return { type: 'text', text: render(template, variables) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { type: error instanceof TemplateLimit ? 'limit' : 'invalid', message: error.message };
  }
});
