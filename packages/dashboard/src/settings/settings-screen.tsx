import { useParams } from '@tanstack/react-router';
import { TabLinks } from '../kit/controls/tab-links.tsx';
import { Screen } from '../kit/layout/screen.tsx';
import { Empty } from '../kit/states/empty.tsx';
import { About } from './about.tsx';
import { Appearance } from './appearance.tsx';
import { KeyList } from './key-list.tsx';

const tabs = [
  { part: 'appearance', label: 'Appearance' },
  { part: 'keys', label: 'Keys' },
  { part: 'about', label: 'About' },
] as const;

/** Settings of this browser, the API keys of the tenant, and facts about the server. */
export function SettingsScreen() {
  const { part } = useParams({ from: '/settings/$part' });
  return (
    <Screen title="Settings">
      <TabLinks label="Parts of the settings" to="/settings/$part" tabs={tabs} />
      {part === 'appearance' && <Appearance />}
      {part === 'keys' && <KeyList />}
      {part === 'about' && <About />}
      {!tabs.some((tab) => tab.part === part) && <Empty title="There is no such part." />}
    </Screen>
  );
}
