import { buildDashboard } from '../../../scripts/prepare.mjs';

/** Builds the dashboard when it has changed since it was built. */
export const setup = () => buildDashboard();
