import { createRootRoute } from '@tanstack/react-router';
import { App } from './frame/frame.tsx';
import { NotFound } from './frame/not-found.tsx';

/** Root of all addresses. */
export const root = createRootRoute({ component: App, notFoundComponent: NotFound });
