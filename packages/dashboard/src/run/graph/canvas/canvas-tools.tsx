import { Crosshair, Expand, Minus, Plus } from 'lucide-react';
import classes from './graph-canvas.module.css';
import type { Viewport } from './use-viewport.ts';

interface CanvasToolsProps {
  readonly viewport: Viewport;
  readonly showActive: () => void;
  readonly isFollowing: boolean;
  readonly follow: (isFollowing: boolean) => void;
  /** Nodes that are followed, in words. */
  readonly subject: string;
}

/** Buttons that move and enlarge the picture. */
export const CanvasTools = ({ viewport, showActive, isFollowing, follow, subject }: CanvasToolsProps) => (
  <div className={classes['tools']} role="toolbar" aria-label="Picture">
    <Tool label="Zoom in" keys="+" icon={Plus} act={() => viewport.zoomBy(1.25)} />
    <Tool label="Zoom out" keys="-" icon={Minus} act={() => viewport.zoomBy(0.8)} />
    <Tool label="Fit the whole graph" keys="0" icon={Expand} act={viewport.fit} />
    <Tool label={`Show ${subject}`} keys="." icon={Crosshair} act={showActive} />
    <button
      type="button"
      className={classes['follow']}
      aria-pressed={isFollowing}
      title={`Keep ${subject} in view`}
      onClick={() => follow(!isFollowing)}
    >
      Follow
    </button>
  </div>
);

interface ToolProps {
  readonly label: string;
  readonly keys: string;
  readonly icon: typeof Plus;
  readonly act: () => void;
}

const Tool = ({ label, keys, icon: Icon, act }: ToolProps) => (
  <button type="button" aria-label={label} title={`${label} (${keys})`} onClick={act}>
    <Icon aria-hidden size={14} />
  </button>
);
